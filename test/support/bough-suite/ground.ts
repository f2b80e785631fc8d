import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import type { Driver, NativeSessions } from '../../../src/agents/driver.ts'
import type { Bough } from '../../../src/bough.ts'
import type { Home } from '../../../src/home.ts'
import type { BoughOptions } from '../../../src/open-bough.ts'
import type { ErrorCode } from '../../../src/tree/error.ts'
import type { MessageID, SessionID } from '../../../src/tree/ids.ts'
import { newRepository } from '../../../src/workspace/testing/ground.ts'
import { newHome, openForTest } from '../bough.ts'
import { HeldAgent } from '../held-agent.ts'
import { lastOf } from '../project.ts'
import { ScriptedAgent, says } from '../scripted-agent.ts'

/** The home of a test, and the directory that its sessions work in. */
export type Place = Home & { readonly project: string }

/** How the suite gets at a Bough: the one that it opens itself, or one that is served. Closed when the test is over. */
export type Reach = (home: Place, options: BoughOptions) => Promise<Bough>

export interface GroundOptions extends BoughOptions {
  /** The configuration file; by default commands need no asking. */
  readonly config?: object
  /** The project is a git repository with these files. */
  readonly files?: Readonly<Record<string, string>>
}

/** What a test of the suite stands on. */
export interface Ground {
  /** The one that is tested. */
  readonly bough: Bough
  readonly home: Place
  readonly directory: string
  /** The agent of sessions that name none: held by `sleep N`. */
  readonly agent: HeldAgent
  /** Another, with a history of its own. Its name is `scripted`. */
  readonly scripted: ScriptedAgent
  /** A session with the held agent. */
  session(title?: string): Promise<SessionID>
  /** Runs a turn; gives its last message. */
  turn(id: SessionID, ...instructions: readonly string[]): Promise<MessageID>
  /** An embedded Bough on the same store, as another process would have. */
  another(): Promise<Bough>
}

export type OpenGround = (options?: GroundOptions) => Promise<Ground>

export const opener =
  (reach: Reach): OpenGround =>
  async ({ config = { permissions: { allow: ['run'] } }, files, ...given } = {}) => {
    const { project, ...home } = await newHome()
    mkdirSync(dirname(home.config), { recursive: true })
    writeFileSync(home.config, JSON.stringify(config))
    const directory = files ? await newRepository(files) : project
    const place = { ...home, project: directory }
    const agent = new HeldAgent()
    const scripted = new ScriptedAgent('scripted', (prompt) => says(`heard: ${prompt}`))
    scripted.directory = directory
    const drivers = [agent.driver, withOwnTool(scripted, directory)]
    const options = { drivers, lookEvery: 20, ...given }
    const bough = await reach(place, options)
    return {
      bough,
      home: place,
      directory,
      agent,
      scripted,
      session: async (title) => (await bough.create({ directory, ...(title && { title }) })).id,
      turn: (id, ...instructions) => lastOf(bough, id, instructions),
      another: () => openForTest(home, options),
    }
  }

/** Its driver, with a tool of its own that goes on with its sessions, and a list of those. */
function withOwnTool({ driver, sessions }: ScriptedAgent, directory: string): Driver {
  if (!driver.native) return driver
  const command: NativeSessions['command'] = async ({ nativeID }) => ({ command: ['true'], nativeID })
  const about = { title: 'Kept', directory, created: 1, updated: 2, bytes: null, forkedFrom: null }
  const list = async () => [...sessions.keys()].map((nativeID) => ({ nativeID, ...about }))
  return { ...driver, native: { ...driver.native, list, command } }
}

/** It is refused with that code: the same whichever way one came. */
export const refused = async (work: Promise<unknown>, code: ErrorCode): Promise<void> => {
  await expect(work).rejects.toMatchObject({ name: 'BoughError', code })
}

const nobody = '0'.repeat(26)

/** Ids that nothing has. */
export const unknown = {
  session: `ses_${nobody}`,
  message: `msg_${nobody}`,
  turn: `trn_${nobody}`,
  channel: `chn_${nobody}`,
  schedule: `sch_${nobody}`,
  permission: `per_${nobody}`,
  inquiry: `inq_${nobody}`,
  snapshot: `snp_${nobody}`,
} as const
