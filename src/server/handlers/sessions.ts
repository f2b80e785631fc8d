import { documentText } from '../../tree/document/document-text.ts'
import type { Message } from '../../tree/message.ts'
import { sessionRoutes as routes } from '../../wire/routes/sessions.ts'
import { answered, type Call, type Handlers, on, type ServerParts } from '../handler.ts'

const usualPage = 100

export const sessionHandlers = ({ bough, directories }: ServerParts): Handlers<keyof typeof routes> => ({
  sessions: on(routes.sessions, async ({ query }, call) => {
    const { limit = usualPage, ...rest } = query
    const found = await bough.sessions({ ...rest, limit: limit + 1 })
    return page(found, limit, 'last', call)
  }),
  create: on(routes.create, async ({ body }) => {
    return bough.create({ ...body, directory: await directories.admit(body.directory) })
  }),
  session: on(routes.session, ({ params }) => bough.session(params.id)),
  change: on(routes.change, ({ params, body }) => bough.change(params.id, body)),
  remove: on(routes.remove, ({ params }) => bough.remove(params.id)),
  findSession: on(routes.findSession, ({ query }) => bough.findSession(query.id)),
  findMessage: on(routes.findMessage, ({ params, query }) => bough.findMessage(params.id, query.message)),
  messages: on(routes.messages, async ({ params, query }, call) => {
    const { limit = usualPage } = query
    const found = await bough.messages(params.id, { ...query, limit: limit + 1 })
    return page(found, limit, 'first', call)
  }),
  line: on(routes.line, async ({ params }, call) => {
    await bough.session(params.id)
    await call.pour(asLines(bough.line(params.id)), 'application/x-ndjson')
    return answered
  }),
  exported: on(routes.exported, async ({ params: { id }, query: { format = 'json', at } }, call) => {
    const session = await bough.session(id)
    if (at !== undefined) await bough.findMessage(id, at)
    const type = format === 'json' ? 'application/json' : 'text/markdown; charset=utf-8'
    await call.pour(documentText(format, session, until(bough.line(id), at), Date.now()), type)
    return answered
  }),
  cost: on(routes.cost, async ({ params }) => (await bough.session(params.id)).cost),
  children: on(routes.children, ({ params }) => bough.children(params.id)),
  tree: on(routes.tree, () => bough.tree()),
  treeAround: on(routes.treeAround, ({ params }) => bough.tree(params.id)),
  diff: on(routes.diff, ({ params, query }) =>
    bough.diff(params.id, query.against, { files: query.files ?? false }),
  ),
})

// One more than was asked for was read: it tells whether there is a next page.
function page<T extends { readonly id: string }>(
  found: readonly T[],
  limit: number,
  nextFrom: 'first' | 'last',
  call: Call,
): T[] {
  if (found.length <= limit) return [...found]
  const shown = nextFrom === 'last' ? found.slice(0, limit) : found.slice(found.length - limit)
  const edge = nextFrom === 'last' ? shown.at(-1) : shown[0]
  if (edge) call.nextPage({ before: edge.id, limit: String(limit) })
  return shown
}

async function* asLines(messages: AsyncIterable<Message>): AsyncIterable<string> {
  for await (const message of messages) yield `${JSON.stringify(message)}\n`
}

async function* until(messages: AsyncIterable<Message>, last: string | undefined): AsyncIterable<Message> {
  for await (const message of messages) {
    yield message
    if (message.id === last) return
  }
}
