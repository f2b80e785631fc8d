import { setTimeout as pause } from 'node:timers/promises'
import type { Bough } from '../../../src/bough.ts'
import { livenessOf } from '../../../src/process-identity.ts'
import type { Store } from '../../../src/store/store.ts'

/** Nothing begins any more by itself, what is open is ended, and what runs comes to its end; else says what does not. */
export async function comeToRest(bough: Bough, store: Store, limit: number): Promise<readonly string[]> {
  const deadline = Date.now() + limit
  for (;;) {
    await endAll(bough).catch(() => {})
    const left = await whatGoesOn(store)
    if (left.length === 0) return []
    if (Date.now() > deadline) return [`It does not come to rest: ${left.join('\n')}`]
    await pause(200)
  }
}

async function endAll(bough: Bough): Promise<void> {
  for (const { id } of await bough.schedules()) await bough.cancelSchedule(id).catch(() => {})
  for (const { id } of await bough.permissions()) await bough.answer(id, { allow: false }).catch(() => {})
  // What is for main waits while a fork is open.
  for (const { sessionID, kind } of await bough.sideForks({ state: 'open' }))
    if (kind === 'interactive') await bough.exit(sessionID, { action: 'discard' }).catch(() => {})
}

async function whatGoesOn(store: Store): Promise<readonly string[]> {
  const left: string[] = []
  for (const id of await store.inbox.busy())
    for (const item of await store.inbox.open(id)) left.push(`in ${id}: ${JSON.stringify(item)}`)
  for (const fork of await store.sideForks.open()) left.push(`open: ${JSON.stringify(fork)}`)
  for (const turn of await store.turns.left()) left.push(`a turn: ${JSON.stringify(turn)}`)
  for (const { id, frontEnd } of await store.channels.all())
    if (frontEnd === 'discord')
      for (const item of await store.outbox.open(id)) left.push(`not shown: ${JSON.stringify(item)}`)
  // What the dead asked for goes when somebody next takes the session.
  for (const { id } of await store.sessions.all())
    for (const request of await store.requests.of(id))
      if (livenessOf(request.process) === 'alive') left.push(`asked for: ${JSON.stringify(request)}`)
  for (const workspace of await store.workspaces.underWay()) left.push(`a worktree: ${workspace.path}`)
  return left
}
