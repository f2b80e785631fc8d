import type { Bough } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import { routes } from '../wire/routes.ts'
import { answerCall } from './calls.ts'
import { events } from './events.ts'
import { givingUp } from './give-up.ts'
import type { Http } from './http.ts'
import { RemoteTurn, type TurnStream } from './remote-turn.ts'

type TurnMethods = Pick<
  Bough,
  | ('send' | 'follow' | 'abort' | 'warm' | 'reopen' | 'lend' | 'adoptable' | 'adopt')
  | (
      | 'trust'
      | 'grantTrust'
      | 'revokeTrust'
      | 'trusted'
      | 'permissions'
      | 'findPermission'
      | 'answer'
      | 'events'
      | 'agents'
      | 'keepTime'
    )
>

/** Turns, agents, what they ask, and events, over HTTP. */
export const turnMethods = (http: Http): TurnMethods => ({
  send: (id, text, { signal } = {}) =>
    givingUp(
      http,
      signal,
      async (key) => begun(http, await http.open(routes.send, { params: { id }, body: { text, key } })),
      ({ ended }) => ended,
    ),
  async follow(id, turnID) {
    const turn = await http.call(routes.follow, { params: { id }, query: turnID ? { turnID } : {} })
    return turn && new RemoteTurn(http, turn)
  },
  abort: async (id) => (await http.call(routes.abort, { params: { id } })).aborted,
  warm: (id) => http.call(routes.warm, { params: { id } }).catch(() => {}),
  reopen: (id) => http.call(routes.reopen, { params: { id } }),
  async lend(id, work) {
    let working: ReturnType<typeof work> | null = null
    for await (const event of await http.open(routes.lend, { params: { id } })) {
      if (event.kind === 'done' && working) return working
      if (event.kind === 'done') break
      const begun = work(event.command)
      working = begun
      await answerCall(http, event.call, () => begun.then(ignore, ignore))
    }
    throw new BoughError(
      'server_unreachable',
      "The connection to the server broke off. What was said in the agent's own tool joins the session when it is opened again.",
    )
  },
  adoptable: (query = {}) => http.call(routes.adoptable, { query }),
  adopt: ({ agent, nativeID }, { signal } = {}) =>
    http.call(routes.adopt, { body: { agent, nativeID } }, signal ? { signal } : {}),
  trust: (directory) => http.call(routes.trust, { query: { directory } }),
  grantTrust: (directory, parts) => http.call(routes.grantTrust, { body: { directory, parts } }),
  revokeTrust: (directory) => http.call(routes.revokeTrust, { query: { directory } }),
  trusted: () => http.call(routes.trusted),
  permissions: () => http.call(routes.permissions),
  findPermission: (id) => http.call(routes.findPermission, { query: { id } }),
  answer: (id, body) => http.call(routes.answer, { params: { id }, body }),
  events: (options) => events(http, options),
  agents: () => http.call(routes.agents),
  keepTime: () => http.call(routes.keepTime),
})

const ignore = (): undefined => undefined

/** A turn whose stream begins by telling which it is. */
async function begun(http: Http, stream: TurnStream): Promise<RemoteTurn> {
  const reading = stream[Symbol.asyncIterator]()
  const first = await reading.next()
  if (first.done || first.value.type !== 'turn')
    throw new BoughError(
      'server_unreachable',
      'The connection to the server broke off before the turn began. "bough log" shows whether your prompt is there; else send it again.',
    )
  return new RemoteTurn(http, first.value.turn, { [Symbol.asyncIterator]: () => reading })
}
