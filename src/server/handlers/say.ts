import type * as z from 'zod/mini'
import type { PersonsDoing } from '../../bough.ts'
import type { ChannelID } from '../../tree/ids.ts'
import type { channelRoutes } from '../../wire/routes/channels.ts'
import type { EventStream } from '../event-stream.ts'
import { givenUpError } from '../given-up.ts'
import { type Answered, answered, type Call, type ServerParts } from '../handler.ts'
import { withoutEvents } from './without-events.ts'

type Taken = z.output<typeof channelRoutes.say.result>

export interface SayRequest {
  /** By which its sender can give it up. */
  readonly key?: string
  /** The sender shows the turn itself. */
  readonly show?: boolean
}

/** Takes in what somebody does in a channel; a reader of events is called to show its turn, and is told how it goes. */
export function say(
  parts: ServerParts,
  id: ChannelID,
  what: PersonsDoing,
  request: SayRequest,
  call: Call,
): Answered<Taken> {
  return call.wantsEvents
    ? sayToReader(parts, id, what, request, call)
    : sayAndAnswer(parts, id, what, call, request)
}

/** Answers as soon as it is clear what became of it: a turn begins, or it is done. */
export async function sayAndAnswer(
  { bough, givenUp, limit }: ServerParts,
  id: ChannelID,
  what: PersonsDoing,
  call: Call,
  { key }: SayRequest = {},
): Promise<Taken> {
  const { stop, done } = givenUp.keyed(key)
  const leave = () => stop.abort()
  call.gone.addEventListener('abort', leave)
  if (call.gone.aborted) leave()
  // Its place first: what is refused must not happen all the same.
  const place = limit.begin(async () => {
    const clear = Promise.withResolvers<Taken | null>()
    const over = bough.say(id, what, {
      signal: stop.signal,
      began: ({ id: turnID, sessionID, prompt }) =>
        clear.resolve({ sessionID, turnID, messageID: prompt.id }),
      entered: (sessionID) => clear.resolve({ sessionID, ...withoutTurn }),
    })
    over.then(() => clear.resolve(null), clear.reject)
    return { ended: over.catch(() => {}), taken: await clear.promise }
  })
  place.then(({ ended }) => ended.then(done), done)
  try {
    const { taken } = await place
    if (taken) return taken
    const { openForkID, mainID } = await bough.channel(id)
    return { sessionID: openForkID ?? mainID, ...withoutTurn }
  } catch (error) {
    throw stop.signal.aborted ? givenUpError() : error
  } finally {
    call.gone.removeEventListener('abort', leave)
  }
}

const withoutTurn = { turnID: null, messageID: null }

async function sayToReader(
  { bough, givenUp, limit, calls }: ServerParts,
  id: ChannelID,
  what: PersonsDoing,
  { key, show = false }: SayRequest,
  call: Call,
): Promise<typeof answered> {
  await bough.channel(id)
  const { stop, done } = givenUp.keyed(key)
  let hasBegun = false
  const begin = (stream: EventStream): Promise<void> => {
    // Who leaves before its turn has begun takes back what it said; after that the turn goes on.
    stream.over.addEventListener('abort', () => hasBegun || stop.abort())
    if (stream.over.aborted) stop.abort()
    return bough.say(id, what, {
      signal: stop.signal,
      tell: (words) => stream.send({ kind: 'tell', words }),
      taken: () => stream.send({ kind: 'taken' }),
      began: (turn) => {
        hasBegun = true
        stream.send({ kind: 'began', turn: withoutEvents(turn) })
      },
      entered: (forkID) => stream.send({ kind: 'entered', forkID }),
      ...(show && {
        async show(turn, item) {
          await calls.make(stream, (made) =>
            stream.send({ kind: 'show', call: made, turn: withoutEvents(turn), item }),
          )
        },
      }),
    })
  }
  try {
    const { over } = await limit.begin(async () => {
      const over = begin(call.stream())
      return { over, ended: over.catch(() => {}) }
    })
    await over
    call.stream().send({ kind: 'done' })
    call.stream().end()
    return answered
  } catch (error) {
    throw stop.signal.aborted ? givenUpError() : error
  } finally {
    done()
  }
}
