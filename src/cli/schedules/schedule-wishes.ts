import type { RoutineDraft } from '../../tree/schedule.ts'
import { runFilesOf } from '../comeback/run-files.ts'
import { toolNames } from '../comeback/tool-names.ts'
import type { Context } from '../context.ts'
import { sandboxWish } from '../sandbox-mode.ts'
import { UsageError } from '../usage-error.ts'

/** What a routine and a reminder may be told besides when and what. */
export function scheduleWishes({ args }: Context): Omit<RoutineDraft, 'cron' | 'zone' | 'prompt'> {
  const [agent, model, allow] = [args.value('agent'), args.value('model'), args.value('allow')]
  const mode = args.value('mode')
  if (mode !== undefined && mode !== 'background' && mode !== 'main')
    throw new UsageError(`--mode must be background or main, not "${mode}".`)
  return {
    ...(mode !== undefined && { mode }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...sandboxWish(args),
    ...runFilesOf(args.value('files')),
    ...(allow !== undefined && { allowedTools: toolNames(allow) }),
  }
}
