import type { TreeRow } from '../tree/forest.ts'
import { noUsage } from '../tree/usage.ts'

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
  ...facts,
})
