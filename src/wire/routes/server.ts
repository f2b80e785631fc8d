import * as z from 'zod/mini'
import { flag, plain, route, words } from '../route.ts'
import { agentStatus } from '../schema/agent.ts'
import { directoryTrust, trustedDirectory } from '../schema/directory-trust.ts'
import { reset, treeEvent } from '../schema/event.ts'
import { permissionID, sessionID, turnID } from '../schema/ids.ts'
import { list } from '../schema/list.ts'
import { approvalScope, permission } from '../schema/permission.ts'
import { draft, turnEvent } from '../schema/turn.ts'
import { directory, typedID } from './fields.ts'

const of = { sessionID, turnID }

/** What comes over the stream of all events: durable changes with their number, and what streams just now without one. */
export const streamed = z.union([
  treeEvent,
  reset,
  z.object({ kind: z.literal('open'), seq: z.int() }),
  /** What the message that streams has so far: for one who comes in the middle. */
  z.object({ kind: z.literal('draft'), ...of, draft }),
  z.object({ kind: z.literal('live'), ...of, event: turnEvent }),
  z.object({ kind: z.literal('dropped'), reason: z.string() }),
])

/** The server itself, its agents, and what they ask. */
export const serverRoutes = {
  health: route({
    ...plain,
    method: 'GET',
    path: '/health',
    about: 'Whether the server is up, and its version',
    result: z.object({ status: z.enum(['ok', 'stopping']), version: z.string() }),
    needsNoToken: true,
  }),
  signIn: route({
    ...plain,
    method: 'POST',
    path: '/sign-in',
    about: 'Exchange the code of a one-time link for the token',
    body: z.strictObject({ code: words(100) }),
    result: z.object({ token: z.string() }),
    needsNoToken: true,
  }),
  newCode: route({
    ...plain,
    method: 'POST',
    path: '/sign-in/code',
    about: 'A code for a one-time link: the page at /#code exchanges it for the token',
    status: 201,
    result: z.object({ code: z.string() }),
  }),
  events: route({
    ...plain,
    method: 'GET',
    path: '/event',
    about: 'What changes, as server-sent events: gap-free from Last-Event-ID on, or from now',
    query: z.strictObject({
      /** Several with commas between them. */
      session: z.exactOptional(words(5000)),
      live: z.exactOptional(flag()),
    }),
    events: streamed,
    resumes: true,
  }),
  agents: route({
    ...plain,
    method: 'GET',
    path: '/agent',
    about: 'The agents: installed, ready, and what to do if not',
    result: list(agentStatus),
  }),
  trust: route({
    ...plain,
    method: 'GET',
    path: '/trust',
    about: 'Whether a directory is trusted, and what agents would load of it',
    query: z.strictObject({ directory }),
    result: directoryTrust,
  }),
  grantTrust: route({
    ...plain,
    method: 'POST',
    path: '/trust',
    about: 'Trust a directory, with the parts that the person has seen',
    body: z.strictObject({ directory, parts: list(words(64)) }),
    result: directoryTrust,
  }),
  revokeTrust: route({
    ...plain,
    method: 'DELETE',
    path: '/trust',
    about: 'Trust a directory no more',
    query: z.strictObject({ directory }),
    result: directoryTrust,
  }),
  trusted: route({
    ...plain,
    method: 'GET',
    path: '/trusted',
    about: 'The directories that this machine trusts',
    result: list(trustedDirectory),
  }),
  permissions: route({
    ...plain,
    method: 'GET',
    path: '/permission',
    about: 'What agents ask and nobody has answered yet, oldest first',
    result: list(permission),
  }),
  findPermission: route({
    ...plain,
    method: 'GET',
    path: '/find/permission',
    about: 'What an agent asks, by a whole or shortened id',
    query: z.strictObject({ id: typedID }),
    result: permission,
  }),
  answer: route({
    ...plain,
    method: 'POST',
    path: '/permission/{id}/reply',
    about: 'Approve or deny what an agent asks; an approval must be one that the question offers',
    params: z.strictObject({ id: permissionID }),
    body: z.strictObject({
      allow: z.boolean(),
      scope: z.exactOptional(approvalScope),
    }),
    result: permission,
  }),
  keepTime: route({
    ...plain,
    method: 'POST',
    path: '/time',
    about: 'Run timers and schedules; the server always does',
  }),
}
