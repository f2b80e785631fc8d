import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findHome, type Home } from '../src/home.ts'
import { livenessOf } from '../src/process-identity.ts'
import { storeFile } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { failuresOf, lostFrom } from './support/acknowledged.ts'
import { runFor, runningCommands } from './support/commands.ts'
import { damageIn } from './support/damage.ts'
import { lookInto, newDirectory } from './support/ground.ts'
import { Program } from './support/program.ts'
import { createWorld, type Ended, type World } from './support/run-bough.ts'
import { count, randomFrom, seed } from './support/size.ts'
import { until } from './support/until.ts'
import { isLocked } from './support/write-lock.ts'
import type { DeathReport, Work, WorkReport } from './workers/work.ts'

const kills = count(100, 8)

// The store stays the same all the time: what one kill damages, the rounds after it meet.
test('A process killed at random points of turns and forks leaves a store that is whole', {
  timeout: kills * 20_000,
}, async () => {
  const random = randomFrom(seed())
  const world = createWorld()
  const home = findHome(world.env)
  const directory = await newDirectory()
  await world.ok('config', 'permissions.allow', '["run"]')
  const store = await lookInto(home)
  const acknowledged: WorkReport[] = []

  for (let kill = 1; kill <= kills; kill++) {
    const program = startWork(home, directory, seed() + kill)
    const point = kill % 4 === 0 ? 'start-up' : 'work'
    if (point === 'start-up') await pause(random() * 400)
    else await someWork(program, 1 + Math.floor(random() * 25), random() * 40)
    await program.kill()
    expect(failuresOf(program), 'before the kill nothing failed').toEqual([])
    acknowledged.push(...program.reports)
    // The one that is killed while it starts has something to tidy up: nobody looked after the one before it.
    if (kill % 4 === 3) continue

    expect(await nextCommand(world, acknowledged), `after kill ${kill}`).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await lostFrom(store, acknowledged), `acknowledged before kill ${kill}`).toEqual([])
    expect(await damageIn(store), `after kill ${kill}`).toEqual([])
    expect(integrityOf(home), `after kill ${kill}`).toEqual(['ok'])
    expect(await leftByTheDead(store), `after kill ${kill}`).toEqual([])
    expect(isLocked(storeFile(home.data)), `locked after kill ${kill}`).toBe(false)
    expect(await runningCommands(directory), `commands left after kill ${kill}`).toEqual([])
    await rm(join(directory, 'pids'), { force: true })
  }
  expect(acknowledged.filter(({ kind }) => kind === 'message').length).toBeGreaterThan(kills)
  expect(acknowledged.filter(({ kind }) => kind === 'session').length).toBeGreaterThan(kills / 4)
})

test('A process killed between two statements of a change leaves nothing of that change', {
  timeout: 300_000,
}, async () => {
  const world = createWorld()
  const home = findHome(world.env)
  const directory = await newDirectory()
  const survivor = startDoomed(home, directory, 0)
  const { readings } = await survivor.hears('that it survived', (report) => report.kind === 'survived')
  const store = await lookInto(home)
  const step = Math.ceil(readings / count(readings, 7))
  const acknowledged: WorkReport[] = []

  for (let reading = 1, survived = false; !survived; reading += step) {
    const program = startDoomed(home, directory, reading)
    await program.ended()
    for (const report of program.reports) {
      if (report.kind === 'survived') survived = true
      else acknowledged.push(report)
    }
    expect(program.complaints).toBe('')
    expect(await nextCommand(world, acknowledged), `after reading ${reading}`).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(await lostFrom(store, acknowledged), `acknowledged before reading ${reading}`).toEqual([])
    expect(await damageIn(store), `after reading ${reading}`).toEqual([])
    expect(await leftByTheDead(store), `after reading ${reading}`).toEqual([])
  }
})

const startDoomed = (home: Home, directory: string, reading: number): Program<WorkReport | DeathReport> =>
  Program.start('clock-death', home, [directory, String(reading)])

function startWork(home: Home, directory: string, workSeed: number): Program<WorkReport> {
  const work: Work = {
    seed: workSeed,
    directory,
    actions: null,
    lanes: 2,
    anySession: true,
    forkFrom: [],
    talkTo: null,
    // Long enough that it would still run after the checks, if nobody ended it.
    command: runFor(60),
  }
  return Program.start<WorkReport>('random-work', home, [JSON.stringify(work)])
}

/** Resolves when it has had so many things acknowledged and gone on for a moment, or when all it does is wait for commands. */
async function someWork(program: Program<WorkReport>, things: number, moment: number): Promise<void> {
  let known = 0
  let since = Date.now()
  await until('some work to be done', () => {
    if (program.reports.length !== known) since = Date.now()
    known = program.reports.length
    return known > things || (known > 0 && Date.now() - since > 500)
  })
  await pause(moment)
}

/** The real program, on the session that the dead process was last heard of. */
async function nextCommand(world: World, acknowledged: readonly WorkReport[]): Promise<Ended> {
  const last = acknowledged.findLast((report) => report.kind === 'message')
  const command = last ? ['send', last.sessionID, 'Are you still there?'] : ['ls']
  const { child, ended } = world.start(command)
  onTestFinished(() => void child.kill('SIGKILL'))
  const { stderr, ...rest } = await ended
  // Sessions share the directory here, and the person is told what the others changed.
  return { ...rest, stderr: stderr.replace(filesNotice, '') }
}

const filesNotice =
  /^bough: “.*” (has changed files here since the last turn of this session: .*|is at work in this directory, too)\.\n/gm

/** Sessions held and requests made by processes that are gone. */
async function leftByTheDead(store: Store): Promise<readonly unknown[]> {
  const requests = []
  for (const { id } of await store.sessions.all()) requests.push(...(await store.requests.of(id)))
  return [...(await store.owners.held()), ...requests].filter(({ process }) => livenessOf(process) === 'gone')
}

function integrityOf(home: Home): readonly unknown[] {
  const db = new DatabaseSync(storeFile(home.data), { readOnly: true })
  try {
    return db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row.integrity_check)
  } finally {
    db.close()
  }
}
