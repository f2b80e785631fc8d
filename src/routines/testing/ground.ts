import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { BoughError } from '../../tree/error.ts'
import { type ChannelID, createIds, type SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { DueParts, ScheduledRun } from '../due.ts'

export const minute = 60_000
export const hour = 60 * minute

/** A channel in a store, on a clock of the test's own, with all that schedules stand on. */
export async function newGround(start = Date.UTC(2026, 10, 16, 8)) {
  const directory = await mkdtemp(join(tmpdir(), 'routines-'))
  const time = { now: start }
  const failures: { readonly prompt: string; readonly reason: string }[] = []
  /** Prompts whose runs cannot begin, and why. */
  const broken = new Map<string, Error>()

  /** What one process has; several of them share the file. */
  const openParts = async (): Promise<DueParts> => {
    const clock = () => time.now
    const ids = createIds(clock, (length) => crypto.getRandomValues(new Uint8Array(length)))
    const store = await openStore(directory, clock)
    onTestFinished(() => store.close())
    return {
      ...{ store, ids, clock, zone: 'Europe/Berlin' },
      async mustBeInstalled(agent) {
        if (agent !== 'offline') throw new BoughError('agent_unknown', `There is no agent "${agent}" here.`)
      },
      async startRun(run) {
        const error = broken.get(run.schedule.prompt)
        if (error) throw error
        return startRun(store, ids.session(), run, time.now)
      },
      async queueForMain(tx, channelID, what) {
        await tx.inbox.insert({
          ...{ id: ids.inbox(), channelID, what, isUrgent: false, isForMain: true, state: 'waiting' },
          ...{ process: { pid: 1, started: 's', machine: 'm' }, forkID: null, messageID: null },
          ...{ reason: null, created: time.now },
        })
      },
      async tellFailure(_, { prompt }, reason) {
        failures.push({ prompt, reason })
      },
    }
  }

  const parts = await openParts()
  const { store, ids } = parts
  const newChannel = async (): Promise<{ readonly channelID: ChannelID; readonly mainID: SessionID }> => {
    const [mainID, channelID] = [ids.session(), ids.channel()]
    await store.transaction(async (tx) => {
      await tx.sessions.insert({
        ...{ id: mainID, parentID: null, forkPoint: null, title: 'Main', titled: true, agent: 'offline' },
        ...{ model: null, directory: '/', kind: 'root', labels: [], created: time.now },
      })
      await tx.channels.insert({ id: channelID, frontEnd: 'test', key: channelID, mainID, created: time.now })
    })
    return { channelID, mainID }
  }
  const { channelID, mainID } = await newChannel()
  const runs = () => store.sideForks.list({ channelID, limit: 1000 })
  const endRuns = async () => {
    for (const { sessionID } of await store.sideForks.open())
      await store.transaction((tx) => tx.sideForks.end(sessionID, 'finished', null, time.now))
  }
  return {
    time,
    parts,
    store,
    ids,
    channelID,
    mainID,
    failures,
    broken,
    openParts,
    newChannel,
    runs,
    endRuns,
  }
}

function startRun(store: Store, sessionID: SessionID, run: ScheduledRun, now: number): Promise<SideFork> {
  const { id, channelID, prompt, allowedTools } = run.schedule
  const fork: SideFork = {
    ...{ sessionID, channelID, kind: 'background', origin: 'schedule', topic: null, prompt, promptID: null },
    ...{ state: 'open', outcome: null, reason: null, wish: null, idleTimeout: 10, lastActivity: now },
    ...{ promptedAt: null, timeout: null, allowedTools, scheduleID: id, reported: false, pinged: false },
    ...{ process: null, began: null, started: now, ended: null },
  }
  return store.transaction(async (tx) => {
    await tx.sideForks.insert(fork)
    await run.within(tx, sessionID)
    return fork
  })
}
