import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Bough } from '../../bough.ts'
import { drawSessions } from '../../tree/drawn/session-table.ts'
import { BoughError } from '../../tree/error.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'

const usualLimit = 50

export async function run({ args, out, server, open }: Context): Promise<ExitCode> {
  const [directory, agent] = [args.value('dir'), args.value('agent')]
  const limit = args.count('limit') ?? (args.flag('all') ? undefined : usualLimit)
  const bough = await open()
  const found = await bough.sessions({
    // One more than is shown tells whether there are more.
    ...(limit !== undefined && { limit: limit + 1 }),
    ...(directory !== undefined && { directory: resolve(directory) }),
    ...(agent !== undefined && { agent }),
  })
  // Sessions stay when their directory or their agent is gone: a slip is only what finds nothing.
  if (found.length === 0 && agent !== undefined) await mustBeKnown(bough, agent)
  if (found.length === 0 && directory !== undefined && server === null) await mustBeThere(resolve(directory))
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

async function mustBeKnown(bough: Bough, agent: string): Promise<void> {
  const known = (await bough.agents()).map(({ name }) => name)
  if (known.includes(agent)) return
  throw new BoughError('agent_unknown', `There is no agent "${agent}" here. There is: ${known.join(', ')}.`)
}

async function mustBeThere(path: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return
  throw new BoughError('directory_gone', `There is no directory ${path}, and no session worked there.`)
}
