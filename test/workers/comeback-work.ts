// A process in which somebody does anything in a few channels, until it is killed.
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import { findHome } from '../../src/home.ts'
import { openBough } from '../../src/open-bough.ts'
import { act, noting } from '../support/comeback-acts.ts'
import { randomFrom } from '../support/random.ts'

export interface ComebackWork {
  readonly seed: number
  readonly directory: string
  /** How far its clock goes before the machine's. */
  readonly offset: number
  readonly mayAdvance: boolean
}

export type ComebackReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'offset'; readonly offset: number }
  | { readonly kind: 'failed'; readonly message: string }

const work: ComebackWork = JSON.parse(process.argv[2] ?? '')
const report = (line: ComebackReport) => process.stdout.write(`${JSON.stringify(line)}\n`)
let offset = work.offset
const advance = (by: number) => {
  offset += by
  report({ kind: 'offset', offset })
}

const drivers = [createOfflineDriver({ pace: 1 })]
const bough = await openBough(findHome(process.env), {
  drivers,
  lookEvery: 20,
  clock: () => Date.now() + offset,
})
report({ kind: 'ready' })

async function play(key: string, random: () => number): Promise<void> {
  const { id: channelID } = await bough.openChannel({ frontEnd: 'test', key }, { directory: work.directory })
  const player = { channelID, random, shown: [], buttons: [] }
  await bough.attend(channelID, noting(player)).catch(() => {})
  for (;;) await act({ ...player, bough, advance: work.mayAdvance ? advance : null })
}

await Promise.all(
  ['a', 'a', 'b', 'b', 'c'].map((key, i) =>
    play(key, randomFrom(work.seed * 7 + i)).catch((error) =>
      report({ kind: 'failed', message: error instanceof Error ? `${error.stack}` : String(error) }),
    ),
  ),
)
