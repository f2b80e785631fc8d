import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { untrusted } from '../../../test/support/project-access.ts'
import { type Message, type NewMessage, type Part, type Role, textOf } from '../../tree/message.ts'
import { realPathOf, realPathOfLink } from '../../turns/real-path.ts'
import type { AgentEvent, Connection, OpenOptions, PermissionRequest } from '../driver.ts'
import { createOfflineDriver, type OfflineOptions } from './offline.ts'

export interface Rig {
  readonly cwd: string
  readonly asked: readonly PermissionRequest[]
  readonly connection: Connection
  /** One turn to its end; `abort` is asked at every event whether to interrupt it there. */
  turn(prompt: string, abort?: (event: AgentEvent) => boolean): Promise<AgentEvent[]>
}

/** A connection in an empty directory, where everything is allowed unless the test says otherwise. */
export async function openRig(
  open: Partial<OpenOptions> = {},
  driverOptions: OfflineOptions = { pace: 0 },
): Promise<Rig> {
  const cwd = open.cwd ?? (await mkdtemp(join(tmpdir(), 'offline-')))
  const asked: PermissionRequest[] = []
  const connection = await createOfflineDriver(driverOptions).open({
    sessionID: 'ses_test',
    model: null,
    systemPrompt: '',
    project: untrusted(cwd),
    start: { kind: 'fresh' },
    unsent: [],
    history: async () => [],
    tools: [],
    askPermission: async (request) => {
      asked.push(request)
      const { path, linkItself } = request
      const real = path === undefined ? null : await (linkItself ? realPathOfLink : realPathOf)(path)
      return { allow: true, ...(real !== null && { path: real }) }
    },
    recordProcess: async () => {},
    ...open,
    cwd,
  })
  onTestFinished(() => connection.close())

  const turn = async (prompt: string, abort: (event: AgentEvent) => boolean = () => false) => {
    const controller = new AbortController()
    const events: AgentEvent[] = []
    for await (const event of connection.send(prompt, controller.signal)) {
      events.push(event)
      if (abort(event)) controller.abort()
    }
    return events
  }
  return { cwd, asked, connection, turn }
}

export const interrupted: AgentEvent = { type: 'turn-finished', reason: 'interrupted' }

export const saidIn = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

export const resultsIn = (events: readonly AgentEvent[]) =>
  events.filter((event) => event.type === 'tool-result')

export const usageIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'message-finished' && event.usage ? [event.usage] : []))

/** A message of a line; what does not matter to an agent is made up. */
export const messageOf = (role: Role, ...parts: readonly Part[]): Message => {
  const fields: NewMessage = { id: 'msg_test', role, parts, status: 'complete', created: 0 }
  return {
    ...fields,
    sessionID: 'ses_test',
    seq: 1,
    text: textOf(parts),
    nativeID: null,
    usage: null,
    snapshot: null,
  }
}

export const told = (text: string): Message => messageOf('user', { type: 'text', text })

/** The messages that a turn put on the line. */
export function lineOf(prompt: string, events: readonly AgentEvent[]): Message[] {
  const line = [told(prompt)]
  let parts: Part[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type === 'tool-call' || event.type === 'tool-result') parts.push(event)
    if (event.type !== 'message-finished') continue
    if (text !== '') parts.unshift({ type: 'text', text })
    line.push(messageOf(parts.some((part) => part.type === 'tool-result') ? 'tool' : 'assistant', ...parts))
    parts = []
    text = ''
  }
  return line
}
