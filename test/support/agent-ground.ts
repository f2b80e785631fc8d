import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Bough } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import type { BoughOptions } from '../../src/open-bough.ts'
import type { MessageID, SessionID } from '../../src/tree/ids.ts'
import { newRepository } from '../../src/workspace/testing/ground.ts'
import { commandOf, processesOf } from './agent-processes.ts'
import { newHome, openForTest, turn } from './bough.ts'
import type { RealAgent } from './real-agents.ts'
import { createWorld, type Running } from './run-bough.ts'
import { until } from './until.ts'

/** A git project with a session of a real agent in it. */
export interface Ground {
  readonly agent: RealAgent
  readonly home: Home
  readonly bough: Bough
  readonly root: string
  readonly sessionID: SessionID
  /** The last message of a turn. */
  say(text: string, id?: SessionID): Promise<MessageID>
  /** The same in another process: a command of the real program. */
  other(...args: readonly string[]): Promise<void>
  start(...args: readonly string[]): Running
  /** The conversation of the newest request. */
  received(): readonly string[]
}

export async function begin(
  real: () => Promise<RealAgent>,
  {
    permissions = { allow: ['run'] },
    sandbox = {},
    ...options
  }: { permissions?: object; sandbox?: object } & BoughOptions = {},
): Promise<Ground> {
  const home = await newHome()
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(home.config, JSON.stringify({ permissions, sandbox, claude: { model: 'claude-sonnet-5' } }))
  const agent = await real()
  onTestFinished(() => expect(agent.outside()).toEqual([]))
  const root = await newRepository({ 'a.txt': 'a\n' })
  const bough = await openForTest(home, { drivers: [agent.driver], ...options })
  const { id: sessionID } = await bough.create({ agent: agent.name, directory: root })
  const say = async (text: string, id = sessionID) => {
    const last = (await turn(bough, id, text)).at(-1)
    if (!last) throw new Error('the turn said nothing')
    return last.id
  }
  const start = (...args: readonly string[]) =>
    createWorld().start(args, { env: { ...agent.env, BOUGH_HOME: home.data }, cwd: root })
  const other = async (...args: readonly string[]) => {
    expect(await start(...args).ended).toMatchObject({ code: 0 })
  }
  return {
    agent,
    home,
    bough,
    root,
    sessionID,
    say,
    other,
    start,
    received: () => agent.conversations().at(-1) ?? [],
  }
}

/** Where the model asked for a command: until it runs. */
export async function untilCommandRuns(agent: RealAgent, prompt: string): Promise<void> {
  if (!prompt.startsWith('run ')) return
  await until('the command to run', () => processesOf(agent).some((pid) => commandOf(pid).includes('sleep')))
}
