import { Agent } from 'node:http'
import { homedir } from 'node:os'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { Bough } from '../src/bough.ts'
import { type FuzzRequest, type Pools, resolved } from './support/fuzz-request.ts'
import { brokenRequests, refusedRequests, vainRequests, validRequests } from './support/fuzz-requests.ts'
import { type FuzzWorld, newFuzzWorld, poolsOf } from './support/fuzz-world.ts'
import { type Described, operationsOf } from './support/operations.ts'
import { glance, type RawAnswer } from './support/raw-http.ts'
import { count, seed } from './support/size.ts'
import { StoreDigest } from './support/store-digest.ts'
import { until } from './support/until.ts'

// Requests by the thousand, right and wrong, at a server that has something to lose. Each round has a server of its own, so
// that what one round did does not slow the next.

const rounds = count(20, 1)
const refusedEach = count(1_400, 1_030)
const vainEach = count(150, 70)
const mixedEach = count(1_000, 400)
/** Requests between two looks at what there is. */
const batch = 50
const mostComplaints = 8
/** Milliseconds that a request is waited for. */
const patience = 3_000

class Fuzzer {
  readonly #world: FuzzWorld
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 })
  readonly tally = new Map<string, number>()
  readonly complaints: string[] = []
  #faults = 0
  pools: Pools

  constructor(world: FuzzWorld, pools: Pools) {
    this.#world = world
    this.pools = pools
    onTestFinished(() => this.#agent.destroy())
  }

  async send(request: FuzzRequest): Promise<RawAnswer | null> {
    const { server } = this.#world
    const path = resolved(request.path, this.pools).replaceAll(/[^\x21-\x7e]/g, encodeURIComponent)
    const text = request.body === null ? null : resolved(request.body, this.pools)
    const body = request.isGarbled
      ? Buffer.concat([Buffer.from(text ?? '{}'), Buffer.from([0xc0, 0xff])])
      : text
    const answer = await glance(
      server,
      {
        method: request.method,
        path,
        headers: { authorization: `Bearer ${server.token}`, ...request.headers },
        ...(body !== null && { body }),
      },
      this.#agent,
      patience,
    )
    this.#check(request, path, text, answer)
    return answer
  }

  #check(request: FuzzRequest, path: string, text: string | null, answer: RawAnswer | null): void {
    const status = answer ? String(answer.status) : 'none'
    this.tally.set(status, (this.tally.get(status) ?? 0) + 1)
    const faults = this.#world.server.faults.slice(this.#faults)
    this.#faults += faults.length
    const complaint =
      (answer && this.#complaint(answer)) ?? (faults.length > 0 ? `a fault: ${describe(faults)}` : null)
    if (complaint) this.complain(complaint, { ...request, path, body: text }, answer)
  }

  /** Notes what is wrong, with all that it takes to ask it again. Goes on for a while: one may tell more than another. */
  complain(what: string, { name, method, path, headers, body }: FuzzRequest, answer: RawAnswer | null): void {
    this.complaints.push(
      `${what}\n${name}: ${method} ${path.slice(0, 2_000)}\n${JSON.stringify(headers)}\n${body?.slice(0, 2_000)}\n${answer?.status} ${answer?.body.slice(0, 2_000)}`,
    )
    if (this.complaints.length >= mostComplaints) throw new Error(this.complaints.join('\n\n'))
  }

  #complaint({ status, headers, body }: RawAnswer): string | null {
    if (status >= 500) return 'a failure of the server'
    const outside = this.#outside(body)
    if (outside !== null) return `a path that is nobody's business: ${outside}`
    if (headers['content-security-policy'] === undefined) return 'no security headers'
    if (Object.keys(headers).some((name) => name.startsWith('access-control-')))
      return 'access for other sites'
    return status >= 400 ? problemComplaint(status, headers, body) : null
  }

  #outside(body: string): string | null {
    const { project, data } = this.#world.home
    for (const [path] of body.matchAll(absolutePaths))
      if (!path.startsWith(project) && !path.startsWith(`${data}/worktrees/`)) return path
    return null
  }
}

const describe = (faults: readonly unknown[]): string =>
  faults.map((fault) => (fault instanceof Error ? fault.stack : String(fault))).join('\n')

const absolutePaths = new RegExp(
  `(?:${RegExp.escape(homedir())}|${RegExp.escape(process.cwd())}|(?<![\\w.~:/])/(?:etc|usr|opt|var|home|root|tmp|proc|dev|bin|lib|work))(?:/[^\\s"'\\\\,;:)]*)|node_modules|\\.ts:\\d+`,
  'g',
)

function problemComplaint(status: number, headers: RawAnswer['headers'], body: string): string | null {
  // A HEAD has no body to look at.
  if (body === '') return null
  if (headers['content-type'] !== 'application/problem+json') return 'an error that is no problem'
  const problem = JSON.parse(body)
  const isWhole =
    problem.type === 'about:blank' &&
    problem.status === status &&
    [problem.title, problem.code, problem.detail].every((each) => typeof each === 'string' && each !== '')
  return isWhole && !('stack' in problem) ? null : 'a problem that is not whole'
}

/** Sends so many at once, in their order. */
async function sendAll(fuzzer: Fuzzer, requests: readonly FuzzRequest[], atOnce: number): Promise<void> {
  const rest = requests[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const request of rest) await fuzzer.send(request)
    }),
  )
}

/** Resolves with what the store has, when nothing runs and nothing moves in it any more. */
async function settled(digest: StoreDigest, { server: { bough } }: FuzzWorld): Promise<Tables> {
  let last = ''
  let looks = 0
  return until('the store to come to rest', async () => {
    const tables = digest.tables()
    const text = JSON.stringify(tables)
    looks = text === last && (await isIdle(bough)) ? looks + 1 : 0
    last = text
    return looks >= enoughLooks && tables
  })
}

type Tables = Readonly<Record<string, string>>

/** A capture of files takes no longer between two writes. */
const enoughLooks = 15

async function isIdle(bough: Bough): Promise<boolean> {
  const [pending, running, asked, open] = await Promise.all([
    bough.pending(),
    bough.sessions({ state: 'running' }),
    bough.permissions(),
    bough.sideForks({ state: 'open' }),
  ])
  return (
    pending + running.length + asked.length + open.filter(({ kind }) => kind === 'background').length === 0
  )
}

/** Requests that are refused, one after the other; whatever is refused must have changed nothing. */
async function refuseAll(
  world: FuzzWorld,
  fuzzer: Fuzzer,
  requests: readonly FuzzRequest[],
): Promise<number> {
  const digest = StoreDigest.open(world.home.data)
  let before = await settled(digest, world)
  let version = digest.version()
  let compared = 0
  for (const request of requests) {
    const answer = await fuzzer.send(request)
    const isRefused = answer !== null && answer.status >= 400
    const wasWritten = digest.version() !== version
    version = digest.version()
    if (!wasWritten) {
      // There is nothing to compare.
      if (isRefused) compared++
    } else if (isRefused) {
      const now = digest.tables()
      const changed = Object.keys(now).filter((table) => now[table] !== before[table])
      if (changed.length > 0)
        fuzzer.complain(`refused, and changed ${changed.join(' and ')}`, request, answer)
      before = now
      compared++
    } else {
      before = await settled(digest, world)
      version = digest.version()
    }
  }
  digest.close()
  return compared
}

async function round(
  number: number,
): Promise<{ sent: number; compared: number; tally: ReadonlyMap<string, number> }> {
  const world = await newFuzzWorld()
  const described = await operationsOf(world.server)
  const fuzzer = new Fuzzer(world, await poolsOf(world))
  const sample = (arbitrary: fc.Arbitrary<FuzzRequest>, numRuns: number) =>
    fc.sample(arbitrary, { seed: seed() + number, numRuns })
  const refused = [
    ...sample(refusedRequests(described), refusedEach),
    ...sample(vainRequests(described), vainEach),
  ]
  const compared = await refuseAll(world, fuzzer, refused)
  const mixed = sample(mixedRequests(described), mixedEach)
  for (let i = 0; i < mixed.length; i += batch) {
    fuzzer.pools = await poolsOf(world)
    await sendAll(fuzzer, mixed.slice(i, i + batch), 4)
  }
  const health = await fetch(`${world.server.url}/health`)
  expect(health.status).toBe(200)
  expect(fuzzer.complaints).toEqual([])
  expect(world.server.faults).toEqual([])
  await world.server.stop()
  return { sent: refused.length + mixed.length, compared, tally: fuzzer.tally }
}

const mixedRequests = (described: Described): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    { weight: 3, arbitrary: validRequests(described) },
    { weight: 1, arbitrary: brokenRequests(described) },
  )

it('no request breaks the server, none that is refused changes anything, and no answer tells where things are', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const tally = new Map<string, number>()
  let sent = 0
  let compared = 0
  for (let number = 0; number < rounds; number++) {
    const done = await round(number)
    sent += done.sent
    compared += done.compared
    for (const [status, times] of done.tally) tally.set(status, (tally.get(status) ?? 0) + times)
    expect(unhandled).toEqual([])
  }
  console.log(
    `${sent} requests with seed ${seed()}, ${compared} compared:`,
    Object.fromEntries([...tally].toSorted()),
  )
  expect(sent).toBeGreaterThanOrEqual(count(50_000, 1_500))
  // It is no proof where most of them were fine, or nothing was.
  expect(compared).toBeGreaterThan(rounds * refusedEach * 0.8)
  expect(tally.get('200') ?? 0).toBeGreaterThan(sent / 20)
  expect(tally.get('none') ?? 0).toBeLessThan(sent / 50)
}, 1_800_000)
