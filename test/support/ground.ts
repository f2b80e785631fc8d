import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Bough } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import { endCommands } from './commands.ts'

/** What the processes of a test share: a home, and a session in it. All that is opened here is closed with the test. */
export interface Ground {
  readonly home: Home
  /** The bough of the test's own process. */
  readonly bough: Bough
  readonly store: Store
  /** Where the session works. */
  readonly directory: string
  readonly sessionID: SessionID
}

export async function newGround(): Promise<Ground> {
  const home = await newHome()
  const bough = await openHere(home)
  const directory = await newDirectory()
  const { id } = await bough.create({ directory })
  return { home, bough, store: await lookInto(home), directory, sessionID: id }
}

/** A home that nobody has opened yet, where commands need no asking. */
export async function newHome(): Promise<Home> {
  const data = await mkdtemp(join(tmpdir(), 'home-'))
  const config = join(data, 'config.json')
  await writeFile(config, JSON.stringify({ permissions: { allow: ['run'] } }))
  return { data, config }
}

export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'work-'))
  onTestFinished(() => endCommands(directory))
  return directory
}

export async function openHere(home: Home): Promise<Bough> {
  const bough = await openBough(home)
  onTestFinished(() => bough.close())
  return bough
}

/** The store as it is, without a bough that would tidy it up. */
export async function lookInto(home: Home): Promise<Store> {
  const store = await openStore(home.data, Date.now)
  onTestFinished(() => store.close())
  return store
}
