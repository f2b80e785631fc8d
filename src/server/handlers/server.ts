import { BoughError } from '../../tree/error.ts'
import { isSessionID, type SessionID } from '../../tree/ids.ts'
import { serverRoutes as routes } from '../../wire/routes/server.ts'
import { answered, type Handlers, on, type ServerParts } from '../handler.ts'

export const serverHandlers = ({
  bough,
  hub,
  signIn,
  version,
  hide,
  directories,
  isStopping,
}: ServerParts): Handlers<keyof typeof routes> => ({
  health: on(routes.health, async () => ({ status: isStopping() ? 'stopping' : 'ok', version })),
  signIn: on(routes.signIn, async ({ body }) => ({ token: signIn.exchange(body.code) })),
  newCode: on(routes.newCode, async () => ({ code: signIn.newCode() })),
  events: on(routes.events, async ({ query: { session, live = true } }, call) => {
    const { lastEventID: after } = call
    const sessions = session === undefined ? {} : { sessions: sessionsIn(session) }
    await hub.read(call.stream(), { live, ...sessions, ...(after !== undefined && { after }) })
    return answered
  }),
  agents: on(routes.agents, async () =>
    Promise.all(
      (await bough.agents()).map(async ({ detail, fix, ...agent }) => ({
        ...agent,
        detail: await hide(detail),
        ...(fix !== undefined && { fix: await hide(fix) }),
      })),
    ),
  ),
  trust: on(routes.trust, async ({ query }) => bough.trust(await directories.admit(query.directory))),
  grantTrust: on(routes.grantTrust, async ({ body: { directory, parts } }) =>
    bough.grantTrust(await directories.admit(directory), parts),
  ),
  revokeTrust: on(routes.revokeTrust, async ({ query }) =>
    bough.revokeTrust(await directories.admit(query.directory)),
  ),
  trusted: on(routes.trusted, () => bough.trusted()),
  permissions: on(routes.permissions, () => bough.permissions()),
  findPermission: on(routes.findPermission, ({ query }) => bough.findPermission(query.id)),
  answer: on(routes.answer, ({ params, body }) => bough.answer(params.id, body)),
  // It does from its start to its end.
  keepTime: on(routes.keepTime, async () => {}),
})

function sessionsIn(text: string): ReadonlySet<SessionID> {
  const ids = text.split(',')
  const wrong = ids.find((id) => !isSessionID(id))
  if (wrong !== undefined)
    throw new BoughError('bad_input', 'session must be ids of sessions, with commas between them.')
  return new Set(ids.filter(isSessionID))
}
