import { drawForks } from '../../tree/drawn/fork-list.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'

const usualLimit = 20

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  // One more than is shown tells whether there are more.
  const found = await (await open()).sideForks(args.flag('all') ? {} : { limit: usualLimit + 1 })
  const shown = args.flag('all') ? found : found.slice(0, usualLimit)
  if (args.flag('json')) printJson(out, shown)
  else if (shown.length === 0)
    out.line('No forks that come back. "bough run" starts one in the background, /fork in a chat opens one.')
  else {
    const { columns, paint } = out
    for (const line of drawForks(shown, { now: Date.now(), columns, paint })) out.line(line)
    if (found.length > shown.length)
      out.line(paint('dim', `The ${shown.length} newest. "bough runs --all" shows all of them.`))
  }
  return 0
}
