import { stat } from 'node:fs/promises'
import type * as z from 'zod/mini'
import { BoughError } from '../../tree/error.ts'
import type { FilesAt } from '../../tree/file-change.ts'
import { type FilesMode, type RunFiles, runFilesModes } from '../../tree/files-mode.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { ExitAction } from '../../tree/side-fork.ts'
import { forkRoutes as routes } from '../../wire/routes/forks.ts'
import { type Answered, answered, type Call, type Handlers, on, type ServerParts } from '../handler.ts'
import { sayAndAnswer } from './say.ts'

/** Bytes of what a set-up command prints that may wait for a reader. */
const mostWaiting = 1_000_000

type ForkRequest = z.output<typeof routes.fork.body>
type Forked = z.output<typeof routes.fork.result>

export const forkHandlers = (parts: ServerParts): Handlers<keyof typeof routes> => {
  const { bough, directories, limit } = parts
  const admitted = async (at: FilesAt): Promise<FilesAt> =>
    'directory' in at ? { directory: await directories.admit(at.directory) } : at
  return {
    fork: on(routes.fork, ({ params: { id }, body }, call) => {
      switch (body.kind) {
        case 'interactive':
          return interactiveFork(parts, id, body, call)
        case 'background':
          return backgroundFork(parts, id, body)
        default:
          return branch(parts, id, body, call)
      }
    }),
    status: on(routes.status, ({ params, query }) => bough.status(params.id, query)),
    previewFork: on(routes.previewFork, async ({ params: { id }, query: { status = true, ...wanted } }) => {
      const preview = await bough.previewFork(id, wanted)
      const { files: _, context: __, ...there } = wanted
      return { ...preview, status: status ? await bough.status(id, there) : null }
    }),
    forkContext: on(routes.forkContext, ({ params, query }) => bough.forkContext(params.id, query)),
    seed: on(routes.seed, ({ params }) => bough.seed(params.id)),
    exit: on(routes.exit, async ({ params: { id }, body: { message, ...exit } }) => {
      const end = () => bough.exit(id, { ...exit, ...(message !== undefined && { text: message }) })
      return (await asksForSummary(parts, id, exit.action, message)) ? limit.during(end) : end()
    }),
    files: on(routes.files, async ({ params: { id }, query: { at, workspace = true } }) => {
      const turn = await bough.files(id, at)
      const { directory } = await bough.session(id)
      const here = at === undefined ? { sessionID: id } : { sessionID: id, messageID: at }
      const isThere = workspace && (await stat(directory).catch(() => null))?.isDirectory()
      return { ...turn, workspace: isThere ? await bough.compareFiles(here, { directory }) : null }
    }),
    findFiles: on(routes.findFiles, ({ params, query }) => bough.findFiles(params.id, query)),
    compareFiles: on(routes.compareFiles, async ({ body }) =>
      bough.compareFiles(await admitted(body.a), await admitted(body.b)),
    ),
    findSnapshot: on(routes.findSnapshot, ({ query }) => bough.findSnapshot(query.id)),
    putBack: on(routes.putBack, ({ params, body }) => bough.putBack(params.id, body)),
    restore: on(routes.restore, ({ params, body }) => bough.restore(params.id, body)),
    undo: on(routes.undo, async ({ body: { directory, ...options } }) => {
      return bough.undo(await directories.admit(directory), options)
    }),
    gc: on(routes.gc, ({ body }) => bough.gc(body)),
    workspaces: on(routes.workspaces, () => bough.workspaces()),
  }
}

// Without words of the person's, the agent in an interactive fork is asked for them.
const asksForSummary = async (
  { bough }: ServerParts,
  id: SessionID,
  action: ExitAction,
  message: string | undefined,
): Promise<boolean> =>
  action === 'report' && message === undefined && (await bough.sideFork(id))?.kind === 'interactive'

async function branch(
  { bough, limit }: ServerParts,
  id: SessionID,
  { kind: _, prompt, topic, idleTimeout, ...options }: ForkRequest,
  call: Call,
): Answered<Forked> {
  mustBeAbsent({ topic, idleTimeout }, 'A branch')
  mustSaySomething({ prompt })
  // A reader that does not read misses some of it, and nothing that matters.
  const onSetUp = (text: string) => {
    if (call.wantsEvents && call.stream().waiting < mostWaiting) call.stream().send({ kind: 'set-up', text })
  }
  const make = () => bough.fork(id, { ...options, onSetUp, signal: call.gone })
  // Its place first: nobody should have a fork without the turn that they asked for. A seed is sent as a turn, too.
  const runsTurn = prompt !== undefined || (await bough.forkContext(id, options)).kind === 'seed'
  const { forked } = runsTurn
    ? await limit.begin(async () => {
        const made = await make()
        const ended = prompt === undefined ? bough.seed(made.id) : (await bough.send(made.id, prompt)).ended
        return { forked: made, ended }
      })
    : { forked: await make() }
  if (!call.wantsEvents) return forked
  call.stream().send({ kind: 'forked', forked })
  call.stream().end()
  return answered
}

async function interactiveFork(
  parts: ServerParts,
  id: SessionID,
  { kind: _, topic, idleTimeout, title, prompt = topic, ...others }: ForkRequest,
  call: Call,
): Promise<Forked> {
  mustBeAbsent(
    others,
    'An interactive fork begins at the head of its main, with its agent and its files, and',
  )
  mustSaySomething({ prompt, title })
  const { bough } = parts
  const channel = await bough.channelOf(id)
  if (channel.openForkID === id)
    throw new BoughError('fork_open', 'This session is an open fork itself. End it first, or make a branch.')
  const what = {
    kind: 'fork',
    ...(prompt !== undefined && { topic: prompt }),
    ...(idleTimeout !== undefined && { idleTimeout }),
  } as const
  const { sessionID } = await sayAndAnswer(parts, channel.id, what, call)
  const forked = await asFork(parts, sessionID)
  return title === undefined ? forked : { ...forked, ...(await bough.change(sessionID, { title })) }
}

async function backgroundFork(
  parts: ServerParts,
  id: SessionID,
  { kind: _, agent, model, sandbox, files, title, topic, prompt = topic, ...others }: ForkRequest,
): Promise<Forked> {
  mustBeAbsent(others, 'A background fork begins at the last finished turn of its main, and')
  mustSaySomething({ prompt, title })
  if (prompt === undefined)
    throw new BoughError('bad_input', 'A background fork needs a prompt: what it is to do.')
  const { sessionID } = await parts.bough.runBackground(id, prompt, {
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(sandbox !== undefined && { sandbox }),
    ...(files !== undefined && { files: runFilesOf(files) }),
  })
  if (title !== undefined) await parts.bough.change(sessionID, { title })
  return asFork(parts, sessionID)
}

function runFilesOf(files: FilesMode): RunFiles {
  const found = runFilesModes.find((each) => each === files)
  if (found) return found
  throw new BoughError(
    'bad_input',
    `A background fork takes files ${runFilesModes.join(', ')}, not "${files}".`,
  )
}

async function asFork({ bough }: ServerParts, id: SessionID): Promise<Forked> {
  const [session, fork] = await Promise.all([bough.session(id), bough.sideFork(id)])
  if (!fork) throw new BoughError('not_found', `The fork ${id} is gone.`)
  return { ...session, fork }
}

// Before the fork is made: nobody should have one that they were refused.
function mustSaySomething(texts: Readonly<Record<string, string | undefined>>): void {
  const blank = Object.entries(texts).find(([, text]) => text?.trim() === '')
  if (blank) throw new BoughError('bad_input', `The ${blank[0]} needs at least one character that shows.`)
}

function mustBeAbsent(options: Readonly<Record<string, unknown>>, who: string): void {
  const given = Object.entries(options).find(([, value]) => value !== undefined)
  if (given) throw new BoughError('bad_input', `${who} takes no "${given[0]}". Leave it out.`)
}
