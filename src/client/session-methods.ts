import type { Bough } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import type { Message } from '../tree/message.ts'
import type { Session } from '../tree/session.ts'
import { routes } from '../wire/routes.ts'
import { message } from '../wire/schema/message.ts'
import type { Http } from './http.ts'
import { paged } from './paged.ts'

type SessionMethods = Pick<
  Bough,
  | (
      | 'create'
      | 'importDocument'
      | 'session'
      | 'sessions'
      | 'findSession'
      | 'findMessage'
      | 'change'
      | 'remove'
    )
  | (
      | 'messages'
      | 'line'
      | 'children'
      | 'status'
      | 'tree'
      | 'diff'
      | 'files'
      | 'findFiles'
      | 'compareFiles'
      | 'findSnapshot'
    )
  | ('fork' | 'previewFork' | 'forkContext' | 'seed' | 'restore' | 'undo' | 'workspaces' | 'gc')
>

/** Sessions, their messages, forks and files, over HTTP. */
export const sessionMethods = (http: Http): SessionMethods => ({
  create: (options = {}) => http.call(routes.create, { body: { ...options, ...listed(options) } }),
  importDocument: (document, { signal, ...query }) =>
    http.call(routes.importDocument, { query, body: JSON.stringify(document) }, patience(signal)),
  session: (id) => http.call(routes.session, { params: { id } }),
  async sessions({ limit, before: first, ...query } = {}) {
    const pages = await paged<Session>(
      limit,
      (count, before = first) =>
        http.call(routes.sessions, { query: { ...query, limit: count, ...(before && { before }) } }),
      (items) => items.at(-1),
    )
    return pages.flat()
  },
  findSession: (id) => http.call(routes.findSession, { query: { id } }),
  findMessage: (id, typed) => http.call(routes.findMessage, { params: { id }, query: { message: typed } }),
  change: (id, change) =>
    http.call(routes.change, { params: { id }, body: { ...change, ...listed(change) } }),
  remove: (id) => http.call(routes.remove, { params: { id } }),
  async messages(id, { limit, before: first } = {}) {
    const pages = await paged<Message>(
      limit,
      (count, before = first) =>
        http.call(routes.messages, { params: { id }, query: { limit: count, ...(before && { before }) } }),
      (items) => items[0],
    )
    return pages.toReversed().flat()
  },
  line: (id) => http.lines(routes.line, { params: { id } }, message),
  children: (id) => http.call(routes.children, { params: { id } }),
  status: (id, query = {}) => http.call(routes.status, { params: { id }, query }),
  tree: (id) =>
    id === undefined ? http.call(routes.tree) : http.call(routes.treeAround, { params: { id } }),
  diff: (id, against, { files = false } = {}) =>
    http.call(routes.diff, { params: { id }, query: { against, files } }),
  async files(id, at) {
    const query = { workspace: false, ...(at && { at }) }
    const { workspace: _, ...diff } = await http.call(routes.files, { params: { id }, query })
    return diff
  },
  findFiles: (id, query = {}) => http.call(routes.findFiles, { params: { id }, query }),
  compareFiles: (a, b) => http.call(routes.compareFiles, { body: { a, b } }),
  findSnapshot: (id) => http.call(routes.findSnapshot, { query: { id } }),
  async fork(id, { signal, onSetUp, ...body } = {}) {
    for await (const event of await http.open(routes.fork, { params: { id }, body }, patience(signal))) {
      if (event.kind === 'forked') return event.forked
      onSetUp?.(event.text)
    }
    throw new BoughError(
      'server_unreachable',
      'The connection to the server broke off while the fork was made. "bough ls" shows whether it is there.',
    )
  },
  async previewFork(id, { signal: _, onSetUp: __, title: ___, ...wanted } = {}) {
    const query = { ...wanted, status: false }
    const { status: ____, ...preview } = await http.call(routes.previewFork, { params: { id }, query })
    return preview
  },
  forkContext: (id, { signal: _, onSetUp: __, title: ___, ...query } = {}) =>
    http.call(routes.forkContext, { params: { id }, query }),
  seed: (id) => http.call(routes.seed, { params: { id } }),
  restore: (id, body = {}) => http.call(routes.restore, { params: { id }, body }),
  undo: (directory, options = {}) => http.call(routes.undo, { body: { directory, ...options } }),
  workspaces: () => http.call(routes.workspaces),
  gc: (body = {}) => http.call(routes.gc, { body }),
})

const patience = (signal: AbortSignal | undefined) => (signal ? { signal } : {})

const listed = ({ labels }: { readonly labels?: readonly string[] }) =>
  labels ? { labels: [...labels] } : {}
