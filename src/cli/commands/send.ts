import { BoughError } from '../../tree/error.ts'
import { shortID } from '../../tree/ids.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { readPrompt } from '../prompt-text.ts'
import { sendPrompt } from '../send-prompt.ts'
import { openLive } from '../server/open-live.ts'
import { tellWhatRuns } from '../waits-for.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err } = context
  const text = await readPrompt(context, args.word('text'))
  const { bough, session } = await openLive(context, (each) => each.findSession(args.word('session')))
  const [agent, model] = [args.value('agent'), args.value('model')]
  if (agent !== undefined && agent !== session.agent) {
    throw new BoughError(
      'bad_input',
      `This session talks to ${session.agent}. To go on with ${agent}, fork it: bough fork ${shortID(session.id)} --agent ${agent}`,
    )
  }
  if (model !== undefined) await bough.change(session.id, { model })
  const json = args.flag('json')
  await tellWhatRuns(err, bough, session)
  const { messages, exitCode } = await sendPrompt(context, bough, session, text, { silent: json })
  if (json) printJson(out, messages)
  return exitCode
}
