import { resolve } from 'node:path'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'

export async function run({ args, out, directory, open }: Context): Promise<ExitCode> {
  const [agent, model, title, dir] = ['agent', 'model', 'title', 'dir'].map((name) => args.value(name))
  const bough = await open()
  const session = await bough.create({
    directory: dir === undefined ? directory() : resolve(dir),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
  })
  if (args.flag('json')) printJson(out, session)
  else out.line(session.id)
  return 0
}
