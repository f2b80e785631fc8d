import { randomUUID } from 'node:crypto'
import { appendFile, readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppServer } from '../../src/agents/codex/app-server.ts'
import { refusal } from '../../src/agents/codex/approvals.ts'
import { codexHome } from '../../test/support/codex-home.ts'
import { msg, startFakeOpenAI } from '../../test/support/fake-openai.ts'
import { words } from '../words.ts'

/** How many turns are real: the last of them is copied, and the first says more than the others. */
const realTurns = 2

export interface Threads {
  readonly env: NodeJS.ProcessEnv
  /** Their ids, by how many messages they have. */
  readonly threads: ReadonlyMap<number, string>
}

/**
 * Threads of Codex with so many messages. Their first turns are real, with a model that answers at once; more are copies of the
 * lines that Codex wrote about the last one, added to its file while it does not run.
 */
export async function makeThreads(
  program: string,
  directory: string,
  sizes: readonly number[],
): Promise<Threads> {
  const fake = await startFakeOpenAI(() => ({ items: [msg(words)] }))
  try {
    const env = await codexHome(fake, '', directory)
    const threads = new Map<number, Thread>()
    const server = AppServer.start(program, env)
    try {
      await server.begin()
      for (const messages of sizes) threads.set(messages, await startThread(server, directory))
    } finally {
      await server.end()
    }
    for (const [messages, { path }] of threads) await lengthen(path, messages / 2 - realTurns)
    return { env, threads: new Map([...threads].map(([messages, { id }]) => [messages, id])) }
  } finally {
    await fake.close()
  }
}

const started = z.looseObject({ thread: z.looseObject({ id: z.string(), path: z.string() }) })

type Thread = z.infer<typeof started>['thread']

async function startThread(server: AppServer, cwd: string): Promise<Thread> {
  const { thread } = started.parse(await server.request('thread/start', { cwd }))
  for (let made = 0; made < realTurns; made++) await turn(server, thread.id)
  return thread
}

async function turn(server: AppServer, threadId: string): Promise<void> {
  const completed = Promise.withResolvers<void>()
  const stopListening = server.listen(threadId, {
    told: ({ method }) => {
      if (method === 'turn/completed') completed.resolve()
    },
    asked: async (request) => refusal(request),
    serverEnded: (why) => completed.reject(new Error(why)),
  })
  await server.request('turn/start', { threadId, input: [{ type: 'text', text: words }] })
  await completed.promise
  stopListening()
}

const line = z.looseObject({
  ordinal: z.number(),
  payload: z.looseObject({
    type: z.string().optional(),
    turn_id: z.string().optional(),
    id: z.string().optional(),
    response_id: z.string().optional(),
    item: z.looseObject({ id: z.string() }).optional(),
  }),
})

/** Adds copies of the last turn to a thread's file: each with ids of its own, and numbered on. */
async function lengthen(path: string, turns: number): Promise<void> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const parsed = lines.map((text) => line.parse(JSON.parse(text)))
  const begun = parsed.findLastIndex(({ payload }) => payload.type === 'task_started')
  const last = lines.slice(begun).join('\n')
  const ids = new Set(
    parsed
      .slice(begun)
      .flatMap(({ payload }) => [payload.turn_id, payload.id, payload.response_id, payload.item?.id])
      .filter((id) => id !== undefined),
  )
  let ordinal = parsed.length
  let added = ''
  for (let copied = 1; copied <= turns; copied++) {
    let copy = last
    for (const id of ids) copy = copy.replaceAll(id, id.replace(/[\da-f-]{24,}$/, randomUUID()))
    // A turn has a prompt and an answer.
    copy = copy
      .replace(/(?<="(?:history|sampled_through)_sequence":)\d+/g, (at) => String(Number(at) + copied * 2))
      .replace(/(?<="ordinal":)\d+/g, () => String(ordinal++))
    added += `${copy}\n`
  }
  await appendFile(path, added)
}
