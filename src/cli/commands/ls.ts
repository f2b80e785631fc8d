import { resolve } from 'node:path'
import { drawSessions } from '../../tree/drawn/session-table.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'

const usualLimit = 50

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  const [directory, agent] = [args.value('dir'), args.value('agent')]
  const limit = args.count('limit') ?? (args.flag('all') ? undefined : usualLimit)
  const found = await (await open()).sessions({
    // One more than is shown tells whether there are more.
    ...(limit !== undefined && { limit: limit + 1 }),
    ...(directory !== undefined && { directory: resolve(directory) }),
    ...(agent !== undefined && { agent }),
  })
  const shown = found.slice(0, limit)

  if (args.flag('json')) {
    printJson(out, shown)
  } else if (shown.length === 0) {
    const filtered = directory !== undefined || agent !== undefined
    out.line(filtered ? 'No such sessions.' : noSessions)
  } else {
    const { columns, paint } = out
    for (const line of drawSessions(shown, { now: Date.now(), columns, paint })) out.line(line)
    if (found.length > shown.length)
      out.line(paint('dim', `The ${shown.length} newest. "bough ls --all" shows all of them.`))
  }
  return 0
}

const noSessions = 'No sessions yet. "bough new" begins one, "bough demo" makes a sample tree.'
