import { expect, it } from 'vitest'
import type { SideFork } from '../side-fork.ts'
import { forkWords } from './fork-words.ts'
import { testFork } from './test-session.ts'

const run: Partial<SideFork> = { kind: 'background', began: 1 }
const ended: Partial<SideFork> = { ...run, state: 'ended', outcome: 'finished' }

it.each<[string, Partial<SideFork>]>([
  ['interactive fork, open', {}],
  ['fork saved', { state: 'ended', outcome: 'saved' }],
  ['fork reported', { state: 'ended', outcome: 'reported', reported: true }],
  ['fork discarded', { state: 'ended', outcome: 'discarded' }],
  ['background run: waits', { ...run, began: null }],
  ['background run: running', run],
  ['background run: running, pinged', { ...run, pinged: true }],
  ['background run: silent', ended],
  ['background run: reported, pinged', { ...ended, reported: true, pinged: true }],
  ['background run: pinged, saved', { ...ended, outcome: 'saved', pinged: true }],
  ['background run: reported', { ...ended, outcome: 'reported', reported: true }],
  ['background run: timed out', { ...ended, outcome: 'timed-out' }],
  ['background run: failed: out of paper', { ...ended, outcome: 'failed', reason: 'out of\npaper' }],
  ['background run: failed', { ...ended, outcome: 'failed' }],
])('%s', (words, facts) => {
  expect(forkWords(testFork(facts))).toBe(words)
})
