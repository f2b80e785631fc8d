import { expect, it } from 'vitest'
import type { SideFork } from '../../tree/side-fork.ts'
import { idleStep } from './idle-step.ts'

const minute = 60_000
const fork = (more: Partial<SideFork> = {}): SideFork => ({
  ...{ sessionID: 'ses_1', channelID: 'chn_1', kind: 'interactive', origin: 'person', topic: null },
  ...{ prompt: null, promptID: null, process: null, began: null, state: 'open' },
  ...{ outcome: null, reason: null, wish: null, idleTimeout: 10, lastActivity: 0, promptedAt: null },
  ...{ timeout: null, allowedTools: null, scheduleID: null, reported: false, pinged: false },
  ...{ started: 0, ended: null },
  ...more,
})

it('idle longer than the timeout and not yet prompted: the agent is asked', () => {
  expect(idleStep(fork(), false, 10 * minute)).toBe('wait')
  expect(idleStep(fork(), false, 10 * minute + 1)).toBe('ask')
  expect(idleStep(fork({ idleTimeout: 1 }), false, minute + 1)).toBe('ask')
})

it('a running turn is activity', () => {
  expect(idleStep(fork(), true, 100 * minute)).toBe('wait')
})

it('prompted, and the timeout passes again without the person: the fork ends, whatever the agent said meanwhile', () => {
  const asked = fork({ promptedAt: 20 * minute, lastActivity: 29 * minute })
  expect(idleStep(asked, false, 30 * minute)).toBe('wait')
  expect(idleStep(asked, false, 30 * minute + 1)).toBe('end')
})

it('a fork that ended, and a background fork, get nothing', () => {
  expect(idleStep(fork({ state: 'ended' }), false, 100 * minute)).toBe('wait')
  expect(idleStep(fork({ kind: 'background' }), false, 100 * minute)).toBe('wait')
})
