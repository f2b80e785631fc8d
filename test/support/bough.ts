import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Bough } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import { type BoughOptions, openBough } from '../../src/open-bough.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import type { Message } from '../../src/tree/message.ts'

/** A home and a project directory of the test's own. */
export async function newHome(): Promise<Home & { readonly project: string }> {
  const root = await mkdtemp(join(tmpdir(), 'home-'))
  const project = await mkdtemp(join(tmpdir(), 'project-'))
  return { data: join(root, 'data'), config: join(root, 'data', 'config.json'), project }
}

/** Closed when the test is over. */
export async function openForTest(home: Home, options: BoughOptions = {}): Promise<Bough> {
  const bough = await openBough(home, options)
  onTestFinished(() => bough.close())
  return bough
}

/** One turn to its end; gives the messages that it added, the prompt first. */
export async function turn(bough: Bough, id: SessionID, text: string): Promise<readonly Message[]> {
  const messages: Message[] = []
  for await (const event of (await bough.send(id, text)).events) {
    if (event.type === 'message') messages.push(event.message)
  }
  return messages
}

/** What the agent said last. */
export async function reply(bough: Bough, id: SessionID, text: string): Promise<string> {
  return (await turn(bough, id, text)).at(-1)?.text ?? ''
}
