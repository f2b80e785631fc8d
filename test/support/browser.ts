import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { until } from './until.ts'

// It must reach nothing but loopback, and ask nobody anything.
const flags = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
  ...[
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-extensions',
  ],
  ...['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1', '--remote-debugging-port=0'],
]

const reply = z.object({
  id: z.optional(z.number()),
  error: z.optional(z.object({ message: z.string() })),
  result: z.optional(z.record(z.string(), z.unknown())),
})
const evaluated = z.object({
  result: z.object({ value: z.optional(z.unknown()) }),
  exceptionDetails: z.optional(z.object({ exception: z.optional(z.object({ description: z.string() })) })),
})

/** A real browser with one page, driven over its DevTools protocol; gone when the test is over. */
export class Browser {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  #session = ''
  #count = 0

  static async start(): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'browser-'))
    const child = spawn('chromium', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    onTestFinished(async () => {
      await endGroup(child)
      await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    })
    const socket = new WebSocket(await addressOf(child))
    await once(socket, 'open')
    const browser = new Browser(socket)
    const { targetId } = await browser.#ask('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.#ask('Target.attachToTarget', { targetId, flatten: true })
    browser.#session = String(sessionId)
    return browser
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)))
  }

  async open(url: string): Promise<void> {
    await this.#ask('Page.navigate', { url })
  }

  async reload(): Promise<void> {
    await this.#ask('Page.reload', {})
  }

  /** What a piece of JavaScript comes to in the page; promises are waited for. */
  async evaluate(expression: string): Promise<unknown> {
    const parameters = { expression, awaitPromise: true, returnByValue: true }
    const { result, exceptionDetails } = evaluated.parse(await this.#ask('Runtime.evaluate', parameters))
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? 'The page threw something.')
    return result.value
  }

  /** Waits until the page's text has certain words. */
  async shows(words: string): Promise<void> {
    await until(`the page to show "${words}"`, async () =>
      String(await this.evaluate('document.body?.innerText ?? ""').catch(() => '')).includes(words),
    )
  }

  #ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#count
    const answer = Promise.withResolvers<Record<string, unknown>>()
    this.#waiting.set(id, answer)
    const session = this.#session === '' ? {} : { sessionId: this.#session }
    this.#socket.send(JSON.stringify({ id, method, params, ...session }))
    return answer.promise
  }

  #hear(text: string): void {
    const { id, error, result } = reply.parse(JSON.parse(text))
    const waiting = id === undefined ? undefined : this.#waiting.get(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result ?? {})
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('chromium has no stderr.')
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = line.match(/DevTools listening on (ws:\S+)/) ?? []
    if (address) return address
  }
  throw new Error('chromium ended before it could be driven.')
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const gone = once(child, 'exit')
  process.kill(-child.pid, 'SIGKILL')
  await gone
}
