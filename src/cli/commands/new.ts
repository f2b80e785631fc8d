import { resolve } from 'node:path'
import { warnUnlessReady } from '../agent-ready.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { sandboxWish } from '../sandbox-mode.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, directory, open } = context
  const [agent, model, title, dir] = ['agent', 'model', 'title', 'dir'].map((name) => args.value(name))
  const bough = await open()
  const session = await bough.create({
    directory: dir === undefined ? directory() : resolve(dir),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
    ...sandboxWish(args),
  })
  if (args.flag('json')) printJson(out, session)
  else out.line(session.id)
  if (agent !== undefined) await warnUnlessReady(context, bough, agent)
  return 0
}
