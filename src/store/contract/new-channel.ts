import type { ChannelID, Ids, SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Store } from '../store.ts'

export async function newChannel(store: Store, ids: Ids, mainID: SessionID, key = 'k'): Promise<ChannelID> {
  const id = ids.channel()
  await store.transaction((tx) => tx.channels.insert({ id, frontEnd: 'cli', key, mainID, created: 1 }))
  return id
}

export const newFork = (
  sessionID: SessionID,
  channelID: ChannelID,
  more: Partial<SideFork> = {},
): SideFork => ({
  sessionID,
  channelID,
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
  lastActivity: 1,
  promptedAt: null,
  timeout: null,
  allowedTools: null,
  scheduleID: null,
  reported: false,
  pinged: false,
  process: null,
  began: null,
  started: 1,
  ended: null,
  ...more,
})
