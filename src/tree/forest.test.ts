import { expect, it } from 'vitest'
import { forestOf } from './forest.ts'
import type { SessionID } from './ids.ts'
import type { Session } from './session.ts'
import { noUsage } from './usage.ts'

const session = (id: SessionID, parentID: SessionID | null = null, deleted = false): Session => ({
  id,
  parentID,
  forkPoint: null,
  forkSeedID: null,
  title: id,
  agent: 'offline',
  model: null,
  directory: '/',
  sandbox: null,
  workspaceID: null,
  kind: parentID ? 'branch' : 'root',
  state: 'idle',
  labels: [],
  archived: false,
  deleted,
  messages: 0,
  nativeID: null,
  cost: { own: noUsage, inherited: noUsage },
  created: 0,
  updated: 0,
})

const shape = (sessions: readonly Session[]) => forestOf(sessions).map(({ id, depth }) => [id, depth])

it('sessions stand below their parents, oldest first', () => {
  expect(
    shape([
      session('ses_4', 'ses_2'),
      session('ses_3', 'ses_1'),
      session('ses_2', 'ses_1'),
      session('ses_1'),
      session('ses_5'),
    ]),
  ).toEqual([
    ['ses_1', 0],
    ['ses_2', 1],
    ['ses_4', 2],
    ['ses_3', 1],
    ['ses_5', 0],
  ])
})

it('a tombstone shows only while something living stands below it', () => {
  expect(
    shape([
      session('ses_1', null, true),
      session('ses_2', 'ses_1', true),
      session('ses_3', 'ses_2'),
      session('ses_4', 'ses_1', true),
      session('ses_5', null, true),
    ]),
  ).toEqual([
    ['ses_1', 0],
    ['ses_2', 1],
    ['ses_3', 2],
  ])
})

it('forks nest a hundred thousand deep', () => {
  const chain: Session[] = [session('ses_000000')]
  for (let i = 1; i < 100_000; i++) {
    const name = (n: number): SessionID => `ses_${String(n).padStart(6, '0')}`
    chain.push(session(name(i), name(i - 1)))
  }
  expect(forestOf(chain).at(-1)?.depth).toBe(99_999)
})
