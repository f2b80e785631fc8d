import { MadeUpTree } from './made-up-tree.ts'
import { OpencodeServer } from './opencode-server.ts'
import type { Group, Row } from './row.ts'
import { boughServe } from './server-bundle.ts'
import { type Answer, type ServerProcess, withServer } from './server-process.ts'
import { interleave, Subject } from './subject.ts'

const sessions = 10_000
const page = 100
const rounds = 100

export const serverListing: Group = {
  name: 'server-lists',
  title: 'Lists over HTTP, of 10,000 sessions and 100,000 messages',
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    const long = await tree.session(100_000)
    for (let made = 1; made < sessions; made++) await tree.session(2)
    await tree.close()

    const own = await withServer(boughServe(directory), (server) => ofBough(server, long.id))
    return [...own, ...(await ofOpencode(directory))]
  },
}

async function ofBough(server: ServerProcess, longest: string): Promise<readonly Row[]> {
  const messages = new Subject('the last 50 messages', () =>
    server.ask('GET', `/session/${longest}/message?limit=50`),
  )
  const first = new Subject(`a page of ${page} sessions`, () => server.ask('GET', `/session?limit=${page}`))
  const all = new Subject(`all sessions, in pages of ${page}`, () => allPages(server))
  await interleave([messages, first], rounds)
  await interleave([all], 5)
  return [messages, first, all].map((subject) => ({ kind: 'fact', ...subject.result }))
}

async function allPages(server: ServerProcess): Promise<void> {
  let pages = 0
  for (let path: string | null = `/session?limit=${page}`; path; pages++)
    path = (await server.ask('GET', path)).next
  if (pages !== sessions / page) throw new Error(`The sessions came in ${pages} pages.`)
}

async function ofOpencode(directory: string): Promise<readonly Row[]> {
  const opencode = await OpencodeServer.installed(directory)
  if (!opencode) return []
  await opencode.sessions(sessions)
  return withServer(opencode.program, async (server) => {
    const list = (limit: number) => server.ask('GET', `/session?limit=${limit}`)
    await mustList(list, page)
    await mustList(list, sessions)
    const first = new Subject(`  opencode: a page of ${page} sessions`, () => list(page))
    const all = new Subject('  opencode: all sessions, at once', () => list(sessions))
    await interleave([first], 30)
    await interleave([all], 5)
    return [first, all].map((subject) => ({ kind: 'fact', ...subject.result }))
  })
}

async function mustList(list: (limit: number) => Promise<Answer>, count: number): Promise<void> {
  const found: unknown = JSON.parse((await list(count)).body)
  if (!Array.isArray(found) || found.length !== count) throw new Error(`Not ${count} sessions were listed.`)
}
