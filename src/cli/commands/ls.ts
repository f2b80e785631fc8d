import { resolve } from 'node:path'
import type { Bough, SessionQuery } from '../../bough.ts'
import type { Session } from '../../tree/session.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { drawSessions } from '../session-table.ts'

const usualLimit = 50
const pageSize = 1000

export async function run({ args, out, open }: Context): Promise<ExitCode> {
  const [directory, agent] = [args.value('dir'), args.value('agent')]
  const limit = args.count('limit') ?? (args.flag('all') ? Infinity : usualLimit)
  const query: SessionQuery = {
    ...(directory !== undefined && { directory: resolve(directory) }),
    ...(agent !== undefined && { agent }),
  }
  // One more than is shown tells whether there are more.
  const found = await newest(await open(), query, limit + 1)
  const shown = found.slice(0, limit)

  if (args.flag('json')) {
    printJson(out, shown)
  } else if (shown.length === 0) {
    out.line('No sessions yet. "bough new" begins one, "bough demo" makes a sample tree.')
  } else {
    const { columns, paint } = out
    for (const line of drawSessions(shown, { now: Date.now(), columns, paint })) out.line(line)
    if (found.length > shown.length)
      out.line(paint('dim', `The ${shown.length} newest. "bough ls --all" shows all of them.`))
  }
  return 0
}

async function newest(bough: Bough, query: SessionQuery, limit: number): Promise<readonly Session[]> {
  const sessions: Session[] = []
  while (sessions.length < limit) {
    const before = sessions.at(-1)?.id
    const size = Math.min(pageSize, limit - sessions.length)
    const page = await bough.sessions({ ...query, limit: size, ...(before && { before }) })
    sessions.push(...page)
    if (page.length < size) break
  }
  return sessions
}
