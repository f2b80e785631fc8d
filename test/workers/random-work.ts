// A process that does random turns and forks, and reports every id as soon as it has been acknowledged.
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import type { Bough } from '../../src/bough.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import { BoughError } from '../../src/tree/error.ts'
import type { SessionID } from '../../src/tree/ids.ts'
import { randomFrom } from '../support/random.ts'
import type { Work, WorkReport } from './work.ts'

const work: Work = JSON.parse(process.argv[2] ?? '')
const random = randomFrom(work.seed)
const report = (line: WorkReport) => process.stdout.write(`${JSON.stringify(line)}\n`)

const below = (limit: number): number => Math.floor(random() * limit)
const anyOf = <T>(items: readonly T[]): T | undefined => items[below(items.length)]

async function act(bough: Bough, own: SessionID[]): Promise<void> {
  const chance = random()
  const mine = work.anySession ? anyOf((await bough.sessions({ limit: 10 })).map(({ id }) => id)) : anyOf(own)
  if (mine === undefined || chance < 0.1) {
    const { id } = await bough.create({ directory: work.directory })
    report({ kind: 'session', sessionID: id, forkPoint: null })
    own.push(id)
  } else if (chance < 0.5) {
    await fork(bough, anyOf([mine, ...work.forkFrom]) ?? mine, own)
  } else if (chance < 0.7 && work.talkTo !== null) {
    await takeTurn(bough, work.talkTo, 'words 3')
  } else {
    await takeTurn(bough, mine, anyInstructions())
  }
}

async function fork(bough: Bough, parentID: SessionID, own: SessionID[]): Promise<void> {
  const at = anyOf(await bough.messages(parentID, { limit: 50 }))
  const before = random() < 0.3
  const { id, forkPoint } = await bough.fork(parentID, {
    files: 'same',
    ...(at && { messageID: at.id, before }),
  })
  report({ kind: 'session', sessionID: id, forkPoint })
  own.push(id)
}

async function takeTurn(bough: Bough, sessionID: SessionID, instructions: string): Promise<void> {
  const turn = await bough.send(sessionID, `Prompt ${process.pid}-${below(1_000_000)}\n${instructions}`)
  report({ kind: 'message', messageID: turn.prompt.id, sessionID })
  for await (const event of turn.events) {
    if (event.type === 'message' && event.message.id !== turn.prompt.id) {
      report({ kind: 'message', messageID: event.message.id, sessionID })
    }
  }
  const { outcome, reason } = await turn.ended
  if (outcome !== 'finished') report({ kind: 'failed', message: `A turn ${outcome}: ${reason}` })
}

function anyInstructions(): string {
  const instructions = [
    `words ${1 + below(40)}`,
    `words ${1 + below(40)}`,
    'read log.txt',
    `delete file-${below(20)}.txt`,
    `write file-${below(20)}.txt: ${below(1000)}`,
    `append log.txt: ${below(1000)}`,
    ...(work.command === null ? [] : [work.command]),
  ]
  return Array.from({ length: 1 + below(3) }, () => anyOf(instructions)).join('\n')
}

/** What may happen to a fork while a turn runs beside it, and is no fault. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BoughError && (error.code === 'message_unfinished' || error.code === 'session_busy')

async function lane(bough: Bough): Promise<void> {
  const own: SessionID[] = []
  for (let done = 0; work.actions === null || done < work.actions; done++) {
    try {
      await act(bough, own)
    } catch (error) {
      if (!(work.anySession && isRefusal(error))) throw error
    }
  }
}

const bough = await openBough(findHome(process.env), { drivers: [createOfflineDriver({ pace: 1 })] })
report({ kind: 'ready' })
try {
  await Promise.all(Array.from({ length: work.lanes }, () => lane(bough)))
  await bough.close()
  report({ kind: 'done' })
} catch (error) {
  report({ kind: 'failed', message: String(error) })
  process.exitCode = 1
}
