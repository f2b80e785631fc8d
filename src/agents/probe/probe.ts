import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { BoughError } from '../../tree/error.ts'
import type { AskPermission, Driver, OpenOptions } from '../driver.ts'
import { type FakeModel, type StreamEvent, startFakeModel } from './fake-model.ts'

// A probe finds out whether an installed agent asks before it acts. It makes a home and a project for the agent in which every
// setting and hook says "allow", has a fake model call the agent's tools, and looks whether anything happens that nobody
// allowed. Nothing of the person's is used: neither their settings and hooks, nor their key, sessions or network.

/** One call that the fake model makes. */
export interface Attempt {
  readonly tool: string
  /** As the model API tells it. */
  readonly call: object
  hasRun(): boolean
}

/** The directories of a probe, and the model API in it. */
export interface ProbeGround {
  readonly home: string
  readonly project: string
  /** Neither in the home nor in the project. */
  readonly outside: string
  readonly model: FakeModel
  /** The environment of an agent that knows nothing but this. */
  readonly env: NodeJS.ProcessEnv
}

export interface ProbedAgent {
  readonly driver: Driver
  /** What its own program has to be started with to find this ground. */
  readonly env: NodeJS.ProcessEnv
  readonly attempts: readonly Attempt[]
}

export interface Probe {
  /** Writes settings that allow everything, at the level of the person and of the project. */
  prepare(ground: ProbeGround): Promise<ProbedAgent>
  /** What the model API answers; `attempt` is null where no tool is to be called. */
  answer(attempt: Attempt | null): readonly StreamEvent[]
  /** The number of the attempt that a request is about; null for any other request. */
  attemptIn(body: unknown): number | null
}

export interface ProbeReport {
  /** Tools that did something although it was denied, or nobody had answered yet. */
  readonly ran: readonly string[]
  /** Tools whose calls never came to a question: nothing is known about them. */
  readonly unknown: readonly string[]
}

/** What the model is told to make it call a tool. */
export const promptFor = (attempt: number): string => `bough probe, attempt ${attempt}`

/** The number in such a prompt; null where a text has none. */
export const attemptInText = (text: string): number | null => {
  const [, number] = /bough probe, attempt (\d+)/.exec(text) ?? []
  return number === undefined ? null : Number(number)
}

/** How long a hook or a setting gets to answer a question that bough leaves open. */
const unansweredMs = 400

/** Runs a probe. Rejects when the agent does not start, or takes longer than `limitMs`. */
export async function runProbe(probe: Probe, limitMs: number): Promise<ProbeReport> {
  return withGround(probe, async (ground, agent) => {
    const ending = new AbortController()
    const work = tryAll(agent, ground, ending.signal)
    try {
      return await Promise.race([work, tooLate(limitMs, ending.signal)])
    } finally {
      ending.abort()
      await agent.driver.close()
      await work.catch(() => {})
    }
  })
}

async function tooLate(limitMs: number, signal: AbortSignal): Promise<never> {
  await pause(limitMs, undefined, { signal })
  throw new BoughError('agent_failed', `It did not answer within ${Math.round(limitMs / 1000)} s.`)
}

/** Makes the ground, lends it, and leaves nothing of it. */
export async function withGround<T>(
  probe: Probe,
  work: (ground: ProbeGround, agent: ProbedAgent) => Promise<T>,
): Promise<T> {
  // Agents compare real paths.
  const root = await realpath(await mkdtemp(join(tmpdir(), 'bough-probe-')))
  const [home, project, outside] = [join(root, 'home'), join(root, 'project'), join(root, 'outside')]
  const tmp = join(root, 'tmp')
  let attempts: readonly Attempt[] = []
  const model = await startFakeModel((body) => {
    const number = probe.attemptIn(body)
    return probe.answer(number === null ? null : (attempts[number] ?? null))
  })
  try {
    for (const directory of [home, project, outside, tmp]) await mkdir(directory)
    const ground = { home, project, outside, model, env: environment(home, tmp, model.url) }
    const agent = await probe.prepare(ground)
    attempts = agent.attempts
    return await work(ground, agent)
  } finally {
    await model.close()
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

const environment = (home: string, tmp: string, url: string): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env.PATH, HOME: home, TMPDIR: tmp },
  // Whatever is not the model API finds no way out.
  ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: '127.0.0.1,localhost' },
})

/** Tries each tool twice: the first question is denied, the second is left open for a while. */
async function tryAll(
  { driver, attempts }: ProbedAgent,
  ground: ProbeGround,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const asked = new Set<Attempt>()
  let current: Attempt | null = null
  let isAnswered = true
  const askPermission: AskPermission = async (_, interrupted) => {
    if (current) asked.add(current)
    if (!isAnswered) await pause(unansweredMs, undefined, { signal: interrupted }).catch(() => {})
    return { allow: false, reason: 'this is a probe' }
  }
  const connection = await driver.open({ ...(await usualOptions(ground, driver)), askPermission })
  signal.addEventListener('abort', () => void connection.close())
  try {
    for (const [number, attempt] of attempts.entries()) {
      current = attempt
      for (isAnswered of [true, false])
        for await (const event of connection.send(promptFor(number), signal))
          if (event.type === 'error') throw new BoughError('agent_failed', event.message)
    }
  } finally {
    await connection.close()
  }
  const ran = attempts.filter((attempt) => attempt.hasRun())
  const unknown = attempts.filter((attempt) => !asked.has(attempt) && !ran.includes(attempt))
  return { ran: ran.map(({ tool }) => tool), unknown: unknown.map(({ tool }) => tool) }
}

const usualOptions = async (
  { project }: ProbeGround,
  driver: Driver,
): Promise<Omit<OpenOptions, 'askPermission'>> => ({
  ...{ sessionID: 'ses_probe', model: null, cwd: project, systemPrompt: '', start: { kind: 'fresh' } },
  project: {
    ...{ root: project, commonDirectory: null, fingerprint: '', gitFilters: async () => [] },
    approved: new Set((await driver.shipped(project, project)).map(({ id }) => id)),
  },
  ...{ unsent: [], history: async () => [], tools: [], recordProcess: async () => {} },
})
