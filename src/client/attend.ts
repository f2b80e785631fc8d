import type { ChannelFrontEnd } from '../tree/front-end.ts'
import type { ChannelID } from '../tree/ids.ts'
import { channelRoutes as routes } from '../wire/routes/channels.ts'
import { Backoff } from './backoff.ts'
import { answerCall } from './calls.ts'
import type { Http } from './http.ts'
import { isAway } from './is-away.ts'
import { RemoteTurn } from './remote-turn.ts'

/** Shows a channel here, as the server calls for it; when the connection breaks, it attends again. */
export async function attend(
  http: Http,
  id: ChannelID,
  frontEnd: ChannelFrontEnd,
): Promise<() => Promise<void>> {
  const leaving = new AbortController()
  const over = AbortSignal.any([leaving.signal, http.closing])
  const ready = Promise.withResolvers<void>()
  const done = keepAttending(http, id, frontEnd, over, ready.resolve)
  done.then(ready.resolve, ready.reject)
  await ready.promise
  return async () => {
    leaving.abort()
    await done.catch(() => {})
  }
}

async function keepAttending(
  http: Http,
  id: ChannelID,
  frontEnd: ChannelFrontEnd,
  over: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const backoff = new Backoff(over)
  let wasReady = false
  while (!over.aborted) {
    try {
      await attendOnce(http, id, frontEnd, over, () => {
        wasReady = true
        backoff.reset()
        onReady()
      })
    } catch (error) {
      if (over.aborted) return
      if (!wasReady || !isAway(error, wasReady)) throw error
    }
    await backoff.wait().catch(() => {})
  }
}

async function attendOnce(
  http: Http,
  id: ChannelID,
  frontEnd: ChannelFrontEnd,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const asking = new Map<string, AbortController>()
  const answer = (call: string, work: () => Promise<string | null | undefined>) =>
    void answerCall(http, call, work).catch(() => {})
  try {
    const body = { guest: frontEnd.isGuest ?? false }
    for await (const event of await http.open(routes.attend, { params: { id }, body }, { signal })) {
      switch (event.kind) {
        case 'attending':
          onReady()
          break
        case 'show':
          answer(event.call, () => nothingOf(frontEnd.show(new RemoteTurn(http, event.turn), event.item)))
          break
        case 'send':
          answer(event.call, () => frontEnd.send(event.what, event.id, event.sessionID))
          break
        case 'edit':
          answer(event.call, () => nothingOf(frontEnd.edit(event.externalID, event.what)))
          break
        case 'ask': {
          const asked = new AbortController()
          asking.set(event.call, asked)
          answer(event.call, () => nothingOf(frontEnd.ask(event.permission, asked.signal)))
          break
        }
        case 'withdraw':
          asking.get(event.call)?.abort()
          asking.delete(event.call)
          break
      }
    }
  } finally {
    for (const asked of asking.values()) asked.abort()
  }
}

const nothingOf = (work: Promise<void>): Promise<undefined> => work.then(() => undefined)
