import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import { channelRoutes as routes } from '../../wire/routes/channels.ts'
import type { Calls } from '../calls.ts'
import type { EventStream } from '../event-stream.ts'
import { answered, type Handlers, on, type ServerParts } from '../handler.ts'
import { say } from './say.ts'
import { withoutEvents } from './without-events.ts'

export const channelHandlers = (parts: ServerParts): Handlers<keyof typeof routes> => {
  const { bough, directories, calls } = parts
  return {
    channels: on(routes.channels, async () => [...(await bough.channels())]),
    openChannel: on(
      routes.openChannel,
      async ({ body: { frontEnd = 'api', key, mainID, directory, ...options } }) => {
        const place = { frontEnd, key, ...(mainID !== undefined && { mainID }) }
        return bough.openChannel(place, {
          ...options,
          directory: await directories.admit(directory),
        })
      },
    ),
    channel: on(routes.channel, ({ params }) => bough.channel(params.id)),
    channelOf: on(routes.channelOf, ({ params }) => bough.channelOf(params.id)),
    promote: on(routes.promote, ({ params, body }) => bough.promote(params.id, body.sessionID)),
    say: on(routes.say, ({ params, body: { key, show, ...what } }, call) =>
      say(parts, params.id, { kind: 'message', ...what }, asked(key, show), call),
    ),
    sayFork: on(routes.sayFork, ({ params, body: { key, show, ...what } }, call) =>
      say(parts, params.id, { kind: 'fork', ...what }, asked(key, show), call),
    ),
    sayExit: on(routes.sayExit, ({ params, body: { key, show, ...what } }, call) =>
      say(parts, params.id, { kind: 'exit', ...what }, asked(key, show), call),
    ),
    sayClick: on(routes.sayClick, ({ params, body: { key, show, ...what } }, call) =>
      say(parts, params.id, { kind: 'click', ...what }, asked(key, show), call),
    ),
    waiting: on(routes.waiting, ({ params }) => bough.waiting(params.id)),
    attend: on(routes.attend, async ({ params: { id }, body }, call) => {
      await bough.channel(id)
      const stream = call.stream()
      const frontEnd = { ...distantFrontEnd(calls, stream), isGuest: body.guest ?? false }
      const leave = await bough.attend(id, frontEnd)
      stream.send({ kind: 'attending' })
      if (!stream.over.aborted)
        await new Promise((resolve) => stream.over.addEventListener('abort', resolve, { once: true }))
      await leave()
      return answered
    }),
    answerCall: on(routes.answerCall, async ({ params, body }) => calls.answer(params.call, body)),
    link: on(routes.link, ({ params, body }) =>
      bough.link(params.id, body.externalID, body.sessionID, body.turnID),
    ),
    sent: on(routes.sent, ({ params, query }) => bough.sent(params.id, query.limit)),
    runBackground: on(routes.runBackground, ({ body: { where, prompt, ...options } }) =>
      bough.runBackground(where, prompt, options),
    ),
    sideForks: on(routes.sideForks, ({ query }) => bough.sideForks(query)),
    sideFork: on(routes.sideFork, ({ params }) => bough.sideFork(params.id)),
    pending: on(routes.pending, async () => ({ count: await bough.pending() })),
    updates: on(routes.updates, ({ query }) => bough.updates(query.channelID)),
    clearUpdates: on(routes.clearUpdates, async ({ query }) => ({
      count: await bough.clearUpdates(query),
    })),
  }
}

const asked = (key: string | undefined, show: boolean | undefined) => ({
  ...(key !== undefined && { key }),
  ...(show !== undefined && { show }),
})

/** A front end at the other end of a stream. */
const distantFrontEnd = (calls: Calls, stream: EventStream): ChannelFrontEnd => ({
  async show(turn, item) {
    await calls.make(stream, (call) => stream.send({ kind: 'show', call, turn: withoutEvents(turn), item }))
  },
  async send(what: Outgoing, id, sessionID) {
    const { externalID } = await calls.make(stream, (call) =>
      stream.send({ kind: 'send', call, what, id, sessionID }),
    )
    return externalID ?? null
  },
  async edit(externalID, what) {
    await calls.make(stream, (call) => stream.send({ kind: 'edit', call, externalID, what }))
  },
  async ask(permission, signal) {
    let made: string | null = null
    const withdraw = () => made && stream.send({ kind: 'withdraw', call: made })
    // Not only until the answer: a question that was put up stays until somebody has answered it, here or elsewhere.
    signal.addEventListener('abort', withdraw, { once: true })
    await calls.make(stream, (call) => {
      made = call
      stream.send({ kind: 'ask', call, permission })
    })
  },
})
