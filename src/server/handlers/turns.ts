import { basename } from 'node:path'
import { BoughError } from '../../tree/error.ts'
import { parseSessionDocument } from '../../tree/session-document.ts'
import type { Turn } from '../../tree/turn.ts'
import { turnRoutes as routes } from '../../wire/routes/turns.ts'
import type { EventStream } from '../event-stream.ts'
import { givenUpError } from '../given-up.ts'
import { answered, type Handlers, on, type ServerParts } from '../handler.ts'
import { withoutEvents } from './without-events.ts'

export const turnHandlers = ({
  bough,
  directories,
  limit,
  givenUp,
  calls,
  hide,
}: ServerParts): Handlers<keyof typeof routes> => ({
  send: on(routes.send, async ({ params: { id }, body: { text, key } }, call) => {
    const { stop, done } = givenUp.keyed(key)
    // Who leaves before the prompt is stored takes it back; after that the turn goes on.
    const leave = () => stop.abort()
    call.gone.addEventListener('abort', leave)
    if (call.gone.aborted) leave()
    const sending = limit.begin(() => bough.send(id, text, { signal: stop.signal }))
    const turn = await sending.catch((error) => {
      done()
      throw stop.signal.aborted ? givenUpError() : error
    })
    call.gone.removeEventListener('abort', leave)
    void turn.ended.finally(done)
    if (!call.wantsEvents) return { turnID: turn.id, messageID: turn.prompt.id, sessionID: id }
    await pourTurn(turn, call.stream())
    return answered
  }),
  follow: on(routes.follow, async ({ params: { id }, query: { turnID } }, call) => {
    const turn = await bough.follow(id, turnID)
    if (!turn) {
      if (!call.wantsEvents) return null
      throw new BoughError(
        'not_found',
        turnID ? 'There is no such turn in this session.' : 'No turn runs in it.',
      )
    }
    if (!call.wantsEvents) return withoutEvents(turn)
    await pourTurn(turn, call.stream())
    return answered
  }),
  abort: on(routes.abort, async ({ params }) => ({ aborted: await bough.abort(params.id) })),
  giveUp: on(routes.giveUp, async ({ body }) => ({ givenUp: givenUp.giveUp(body.key) })),
  warm: on(routes.warm, ({ params }) => bough.warm(params.id)),
  reopen: on(routes.reopen, ({ params }) => bough.reopen(params.id)),
  // For a person to type. Where on this machine the program is, only who borrows the session is told.
  ownCommand: on(routes.ownCommand, async ({ params }) => {
    const { command, directory } = await bough.lend(params.id, async (own) => own)
    const [program, ...more] = command
    return { command: [basename(program), ...more] as const, directory }
  }),
  lend: on(routes.lend, async ({ params: { id } }, call) => {
    await bough.session(id)
    const stream = call.stream()
    await bough.lend(id, (command) =>
      calls.make(stream, (made) => stream.send({ kind: 'lent', call: made, command })),
    )
    stream.send({ kind: 'done' })
    stream.end()
    return answered
  }),
  adoptable: on(routes.adoptable, async ({ query: { directory, ...query } }) => {
    const { sessions, notices } = await bough.adoptable({
      ...query,
      directory: await directories.admit(directory),
    })
    return { sessions, notices: await Promise.all(notices.map(hide)) }
  }),
  adopt: on(routes.adopt, ({ body }, call) =>
    bough.adopt(body, { signal: call.gone, mayWorkIn: (directory) => directories.admit(directory) }),
  ),
  importDocument: on(routes.importDocument, async ({ query: { directory, ...query }, body }, call) => {
    const document = parseSessionDocument('The document', body)
    return bough.importDocument(document, {
      ...query,
      directory: await directories.admit(directory),
      signal: call.gone,
    })
  }),
})

/** At the pace of the reader; who leaves misses the rest, and can come back. */
async function pourTurn(turn: Turn, stream: EventStream): Promise<void> {
  stream.send({ type: 'turn', turn: withoutEvents(turn) })
  const reading = turn.events[Symbol.asyncIterator]()
  const leave = () => void reading.return?.()
  stream.over.addEventListener('abort', leave)
  if (stream.over.aborted) leave()
  for (let next = await reading.next(); !next.done; next = await reading.next()) {
    stream.send(next.value)
    await stream.drained()
  }
  stream.over.removeEventListener('abort', leave)
  stream.end()
}
