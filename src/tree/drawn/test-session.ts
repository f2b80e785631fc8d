import type { TreeRow } from '../forest.ts'
import type { SideFork } from '../side-fork.ts'
import { noUsage } from '../usage.ts'

/** A session for tests of pictures; its short id is `name` filled up to six characters. */
export const testRow = (name: string, depth: number, facts: Partial<TreeRow> = {}): TreeRow => ({
  id: `ses_01kc${name.padStart(22, '0')}`,
  parentID: null,
  forkPoint: null,
  forkSeedID: null,
  title: `Title ${name}`,
  agent: 'offline',
  model: null,
  directory: '/project',
  sandbox: null,
  workspaceID: null,
  kind: depth === 0 ? 'root' : 'branch',
  state: 'idle',
  labels: [],
  archived: false,
  deleted: false,
  messages: 2,
  nativeID: null,
  cost: { own: noUsage, inherited: noUsage },
  created: 0,
  updated: 0,
  depth,
  fork: null,
  isMain: false,
  ...facts,
})

/** A fork that comes back, open and interactive unless `facts` say something else. */
export const testFork = (facts: Partial<SideFork> = {}): SideFork => ({
  sessionID: 'ses_01kc',
  channelID: 'chn_01kc',
  kind: 'interactive',
  origin: 'person',
  topic: null,
  prompt: null,
  promptID: null,
  state: 'open',
  outcome: null,
  reason: null,
  wish: null,
  idleTimeout: 10,
  lastActivity: 0,
  promptedAt: null,
  timeout: null,
  allowedTools: null,
  scheduleID: null,
  reported: false,
  pinged: false,
  process: null,
  began: null,
  started: 0,
  ended: null,
  ...facts,
})
