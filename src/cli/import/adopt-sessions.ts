import type { Bough } from '../../bough.ts'
import { BoughError } from '../../tree/error.ts'
import { fewestOfBeginning, tooShort } from '../../tree/ids.ts'
import type { Adoptable } from '../../tree/native.ts'
import { plainText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { programName } from '../program-name.ts'
import { withProgress } from '../progress.ts'
import { drawAdoptable } from './adoptable-table.ts'
import { interruptible } from './interruptible.ts'

/** Where to look, and for whose sessions. */
export interface Where {
  readonly directory: string
  readonly agent?: string
}

export async function listAdoptable(context: Context, where: Where): Promise<ExitCode> {
  const { args, out, env } = context
  const found = await look(context, await context.open(), where)
  if (args.flag('json')) {
    printJson(out, found)
    return 0
  }
  if (found.length === 0) {
    out.line(noneFor(where))
    return 0
  }
  const { columns, paint } = out
  for (const line of drawAdoptable(found, { now: Date.now(), columns, paint })) out.line(line)
  const name = programName(env)
  out.line(paint('dim', `"${name} import <id>…" adopts those, "${name} import --all" all of them.`))
  return 0
}

const noneFor = ({ directory, agent }: Where): string =>
  `${agent === undefined ? 'No agent has' : `${agent} has no`} sessions of its own for ${directory} or its worktrees.`

/** Parents first: a fork that was made in the agent's own tool finds its own then. */
export async function* adoptAll(context: Context, where: Where): AsyncIterable<Session> {
  const bough = await context.open()
  const found = await look(context, bough, where)
  if (found.length === 0) context.err.line(`bough: ${noneFor(where)}`)
  else if (found.every(({ sessionID }) => sessionID !== null))
    context.err.line(`bough: All sessions that agents have for ${where.directory} are here already.`)
  for (const each of parentsFirst(found)) {
    if (each.sessionID !== null) continue
    yield adoptOne(context, bough, each)
  }
}

function parentsFirst(found: readonly Adoptable[]): readonly Adoptable[] {
  const byID = new Map(found.map((each) => [each.nativeID, each]))
  const ordered = new Set<Adoptable>()
  const add = (each: Adoptable | undefined, below: readonly Adoptable[]): void => {
    if (!each || below.includes(each)) return
    add(byID.get(each.forkOf ?? ''), [...below, each])
    ordered.add(each)
  }
  for (const each of found.toSorted((a, b) => a.created - b.created)) add(each, [])
  return [...ordered]
}

/** By whole or shortened id, as the list shows it. */
export async function adoptNamed(context: Context, typed: string, where: Where): Promise<Session> {
  const bough = await context.open()
  const found = (await look(context, bough, where)).filter(({ nativeID }) => nativeID.startsWith(typed))
  const [only, ...others] = found
  if (!only) {
    throw new BoughError(
      'not_found',
      `Neither a file nor a session that an agent has for ${where.directory} is called "${typed}". "bough import" lists them.`,
    )
  }
  if (typed.length < fewestOfBeginning && typed !== only.nativeID) throw tooShort(typed)
  if (others.length > 0)
    throw new BoughError('ambiguous_id', `"${typed}" fits ${found.length} sessions. Type more of it.`)
  return adoptOne(context, bough, only)
}

async function look({ err }: Context, bough: Bough, where: Where): Promise<readonly Adoptable[]> {
  const { sessions, notices } = await withProgress(err, 'asking the agents', bough.adoptable(where))
  for (const notice of notices) err.line(`bough: ${plainText(notice)}`)
  return sessions
}

const adoptOne = ({ err }: Context, bough: Bough, found: Adoptable): Promise<Session> =>
  interruptible((signal) => withProgress(err, `importing ${found.nativeID}`, bough.adopt(found, { signal })))
