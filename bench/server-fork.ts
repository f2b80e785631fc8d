import { MadeUpTree } from './made-up-tree.ts'
import { OpencodeServer } from './opencode-server.ts'
import type { Group, Row } from './row.ts'
import { boughServe } from './server-bundle.ts'
import { type ServerProcess, withServer } from './server-process.ts'
import { interleave, Subject } from './subject.ts'

const sizes = [10, 1_000, 10_000, 100_000]
const rounds = 400
/** It takes seconds at the larger one, and minutes beyond. */
const theirSizes = [
  { messages: 10, rounds: 10 },
  { messages: 1_000, rounds: 2 },
]

export const serverForking: Group = {
  name: 'server-fork',
  title: 'Fork at the head over HTTP, files: same',
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    const made: Forked[] = []
    for (const messages of sizes) made.push({ messages, ...(await tree.session(messages)) })
    await tree.close()

    const own = await withServer(boughServe(directory), (server) => ofBough(server, made))
    return [...own, ...(await ofOpencode(directory))]
  },
}

interface Forked {
  readonly id: string
  readonly messages: number
}

async function ofBough(server: ServerProcess, sessions: readonly Forked[]): Promise<readonly Row[]> {
  const subjects = sessions.map(({ id, messages }) =>
    forking(server, id, nameOf(messages), { files: 'same' }),
  )
  const health = new Subject('GET /health', () => server.ask('GET', '/health'))
  await interleave([...subjects, health], rounds)
  const [tiny, huge] = [subjects[0]?.result, subjects.at(-1)?.result]
  if (!tiny || !huge) throw new Error('Nothing was forked.')
  return [
    { kind: 'ratio', ...huge, baseline: tiny, limit: 1.5 },
    ...subjects.map((subject): Row => ({ kind: 'bound', ...subject.result, limit: 5 })),
    { kind: 'fact', ...health.result },
  ]
}

const nameOf = (messages: number): string => `fork, ${messages.toLocaleString('en')} messages`

const forking = (server: ServerProcess, id: string, what: string, body: object): Subject =>
  new Subject(what, () => server.ask('POST', `/session/${id}/fork`, body))

async function ofOpencode(directory: string): Promise<readonly Row[]> {
  const opencode = await OpencodeServer.installed(directory)
  if (!opencode) return []
  const made: (Forked & { readonly rounds: number })[] = []
  for (const size of theirSizes) made.push({ ...size, id: await opencode.session(size.messages) })
  return withServer(opencode.program, async (server) => {
    const rows: Row[] = []
    for (const { id, messages, rounds } of made) {
      const subject = forking(server, id, `  opencode: ${nameOf(messages)}`, {})
      await interleave([subject], rounds)
      rows.push({ kind: 'fact', ...subject.result })
    }
    return rows
  })
}
