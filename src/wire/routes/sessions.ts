import * as z from 'zod/mini'
import { count, flag, plain, route, words } from '../route.ts'
import { workspaceEnd } from '../schema/files.ts'
import { messageID, sessionID } from '../schema/ids.ts'
import { list } from '../schema/list.ts'
import { message } from '../schema/message.ts'
import { sandboxMode, session } from '../schema/session.ts'
import { diff, treeRow } from '../schema/tree.ts'
import { cost } from '../schema/usage.ts'
import { directory, title, typedID } from './fields.ts'

const params = z.strictObject({ id: sessionID })
const largestPage = 1000
const labels = z.array(words(200)).check(z.maxLength(100))

/** What a session begins with. */
export const beginning = z.strictObject({
  title: z.exactOptional(title),
  agent: z.exactOptional(words(100)),
  model: z.exactOptional(words(200)),
  directory: z.exactOptional(directory),
  sandbox: z.exactOptional(sandboxMode),
  labels: z.exactOptional(labels),
})

/** What marks a document that can be imported; whoever imports it checks the rest. */
const exportedDocument = z.looseObject({ format: z.literal('bough.session'), version: z.literal(1) })

/** Sessions, their messages, and the tree that they make. */
export const sessionRoutes = {
  sessions: route({
    ...plain,
    method: 'GET',
    path: '/session',
    about: 'Sessions, the newest first; the Link header names the next page',
    query: z.strictObject({
      limit: z.exactOptional(count(largestPage)),
      before: z.exactOptional(sessionID),
      directory: z.exactOptional(directory),
      agent: z.exactOptional(words(100)),
      parentID: z.exactOptional(sessionID),
      label: z.exactOptional(words(200)),
      state: z.exactOptional(z.literal('running')),
      /** Nothing in a box for a search finds all. */
      q: z.exactOptional(z.string().check(z.maxLength(1000))),
      archived: z.exactOptional(flag()),
    }),
    isPaged: true,
    result: list(session),
  }),
  create: route({
    ...plain,
    method: 'POST',
    path: '/session',
    about: 'Begin a session',
    body: beginning,
    bodyIsOptional: true,
    status: 201,
    result: session,
  }),
  session: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}',
    about: 'A session',
    params,
    result: session,
  }),
  change: route({
    ...plain,
    method: 'PATCH',
    path: '/session/{id}',
    about: 'Change its title, model, labels, or whether it is archived',
    params,
    body: z.strictObject({
      title: z.exactOptional(title),
      model: z.exactOptional(words(200)),
      labels: z.exactOptional(labels),
      archived: z.exactOptional(z.boolean()),
    }),
    result: session,
  }),
  remove: route({
    ...plain,
    method: 'DELETE',
    path: '/session/{id}',
    about: 'Delete a session; a tombstone is kept where forks stand on it',
    params,
    result: z.object({ kept: z.boolean(), workspace: z.nullable(workspaceEnd) }),
  }),
  findSession: route({
    ...plain,
    method: 'GET',
    path: '/find/session',
    about: 'The session with a whole or shortened id',
    query: z.strictObject({ id: typedID }),
    result: session,
  }),
  findMessage: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/find',
    about: "The message on a session's line with a whole or shortened id",
    params,
    query: z.strictObject({ message: typedID }),
    result: message,
  }),
  messages: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/message',
    about:
      'A page of its line of messages that ends at its head, oldest first; the Link header names the page before',
    params,
    query: z.strictObject({
      limit: z.exactOptional(count(largestPage)),
      before: z.exactOptional(messageID),
    }),
    isPaged: true,
    result: list(message),
  }),
  line: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/line',
    about: 'Its whole line of messages, oldest first, one a line',
    params,
    type: 'application/x-ndjson',
  }),
  exported: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/export',
    about: 'The session as a document, to be kept or imported elsewhere',
    params,
    query: z.strictObject({
      format: z.exactOptional(z.enum(['json', 'md'])),
      at: z.exactOptional(messageID),
    }),
    result: exportedDocument,
    type: 'text/markdown',
  }),
  cost: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/cost',
    about: 'What it spent itself, and what the part that it stands on had cost before',
    params,
    result: cost,
  }),
  children: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/children',
    about: 'Its direct forks, oldest first',
    params,
    result: list(session),
  }),
  tree: route({
    ...plain,
    method: 'GET',
    path: '/tree',
    about: 'All trees, depth first',
    result: list(treeRow),
  }),
  treeAround: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/tree',
    about: 'The whole tree around a session, depth first',
    params,
    result: list(treeRow),
  }),
  diff: route({
    ...plain,
    method: 'GET',
    path: '/session/{id}/diff',
    about: 'Where two sessions part, what each said after that, and how their files differ',
    params,
    query: z.strictObject({ against: sessionID, files: z.exactOptional(flag()) }),
    result: diff,
  }),
}
