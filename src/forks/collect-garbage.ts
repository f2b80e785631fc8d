import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store, Transaction } from '../store/store.ts'
import { messageOf } from '../tree/error.ts'
import type { Garbage, GarbageItem } from '../tree/garbage.ts'
import type { Clock, Ids, SnapshotID } from '../tree/ids.ts'
import type { ProcessIdentity } from '../tree/owner.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { thin } from '../tree/thin.ts'
import type { TurnEnd } from '../tree/turn.ts'
import { ignoredWords } from '../tree/workspace.ts'
import { closeLeftTurn } from '../turns/close-turn.ts'
import type { Snapshots } from '../turns/snapshots.ts'
import { diskSize } from '../workspace/disk-size.ts'
import { removeShadow, sizeOfFreed, tidyShadow } from '../workspace/shadow/tidy-shadow.ts'
import { branchState, removeBranchIfMerged } from '../workspace/worktree/worktree-branch.ts'
import { removeHidden } from './fill-session.ts'
import { removeWorkspace } from './remove-workspace.ts'

export interface CollectParts {
  readonly store: Store
  readonly ids: Ids
  readonly snapshots: Snapshots
  readonly clock: Clock
  readonly dataDirectory: string
  readonly process: ProcessIdentity
}

const day = 24 * 60 * 60_000

/** What a restore replaced or a removed worktree held stays so long. */
const savedFor = 30 * day

/** What is as young as this may still be under way: a snapshot to the message that names it, an import to its end. */
const young = 60 * 60_000

/** Frees what nobody needs; nothing that is not saved elsewhere. */
export async function collectGarbage(parts: CollectParts, { dryRun = false } = {}): Promise<Garbage> {
  const all = { draft: drafts, import: imports, worktree: worktrees, branch: branches } as const
  const items: GarbageItem[] = []
  for (const kind of ['draft', 'import', 'worktree', 'branch'] as const)
    items.push(...(await whereWritable(kind, parts.dataDirectory, () => all[kind](parts, dryRun))))
  items.push(...(await snapshots(parts, dryRun)))
  return { items, freed: items.reduce((sum, { goes, bytes }) => sum + (goes ? bytes : 0), 0) }
}

// On a full or read-only disk it goes on with what can be freed all the same.
async function whereWritable(
  kind: GarbageItem['kind'],
  what: string,
  work: () => Promise<readonly GarbageItem[]>,
): Promise<readonly GarbageItem[]> {
  try {
    return await work()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!['disk_full', 'store_unwritable', 'ENOSPC', 'EDQUOT', 'EROFS'].includes(code)) throw error
    return [{ kind, what, bytes: 0, goes: false, why: messageOf(error) }]
  }
}

// What turns left that nobody will ever go on with: it joins the tree as what it is, interrupted.
async function drafts({ store, ids, clock }: CollectParts, dryRun: boolean): Promise<readonly GarbageItem[]> {
  const items: GarbageItem[] = []
  for (const { id, sessionID, draft } of await store.turns.left()) {
    const bytes = draft ? JSON.stringify(draft).length : 0
    const why = 'of a turn that nobody runs any more; what was said is kept as a message'
    items.push({ kind: 'draft', what: sessionID, bytes, goes: true, why })
    if (dryRun) continue
    await store.transaction(async (tx) => {
      // Somebody may go on there by now, in a turn of their own.
      const isLeft = (await tx.turns.left()).some((turn) => turn.id === id)
      if (isLeft) await closeLeftTurn(tx, sessionID, abandoned, { ids, now: clock() })
    })
  }
  return items
}

const abandoned: TurnEnd = { outcome: 'interrupted', reason: 'Nobody ran this turn any more.' }

// What a process that was killed while it imported has left. One that is still at it stores something every moment.
async function imports({ store, clock }: CollectParts, dryRun: boolean): Promise<readonly GarbageItem[]> {
  const items: GarbageItem[] = []
  for (const { id, messages } of await store.sessions.unfinished(clock() - young)) {
    const why = `of an import that was cut off after ${messages} messages`
    items.push({ kind: 'import', what: id, bytes: 0, goes: true, why })
    if (!dryRun) await removeHidden(store, id)
  }
  return items
}

// Those that no session works in, but archived ones.
async function worktrees(parts: CollectParts, dryRun: boolean): Promise<readonly GarbageItem[]> {
  const items: GarbageItem[] = []
  for (const workspace of await parts.store.workspaces.all()) {
    if (workspace.state !== 'ready') continue
    const users = await parts.store.sessions.workingIn(workspace.path)
    if (users.some(({ archived }) => !archived)) continue
    const bytes = await diskSize(workspace.path)
    const end = await removeWorkspace(parts, workspace, users, { dryRun })
    const { kept, saved, branchKept } = end
    const ignored = ignoredWords(end)
    const why = [
      users.length > 0 ? 'its session is archived' : 'its session is deleted',
      ...(saved ? [`its uncommitted work is kept as ${saved}`] : []),
      ...(branchKept ? [`its branch ${workspace.branch} has commits of its own and stays`] : []),
      ...(ignored === '' ? [] : [ignored]),
    ]
    items.push({
      kind: 'worktree',
      what: workspace.path,
      bytes,
      goes: kept === null,
      why: kept ?? why.join('; '),
    })
  }
  return items
}

// Of worktrees that are gone: those whose commits are elsewhere by now.
async function branches({ store }: CollectParts, dryRun: boolean): Promise<readonly GarbageItem[]> {
  const items: GarbageItem[] = []
  for (const { id, state, repository, branch } of await store.workspaces.all()) {
    if (state !== 'removed') continue
    const found = await branchState(repository, branch)
    const goes = found === 'merged'
    const why = goes ? 'its commits are on another branch' : 'it has commits of its own'
    if (found !== 'gone') items.push({ kind: 'branch', what: branch, bytes: 0, goes, why })
    if (dryRun || found === 'needed') continue
    const isGone = await removeBranchIfMerged(repository, branch)
    if (isGone && !(await store.sessions.namesWorkspace(id))) {
      await store.transaction((tx) => tx.workspaces.remove(id))
    }
  }
  return items
}

async function snapshots(parts: CollectParts, dryRun: boolean): Promise<readonly GarbageItem[]> {
  const root = join(parts.dataDirectory, 'snapshots')
  const items: GarbageItem[] = []
  for (const projectID of await readdir(root).catch(() => [])) {
    // What a removal that was killed has left: the next one takes it along.
    if (projectID.startsWith('.')) continue
    const work = dryRun ? wouldFree : free
    const directory = join(root, projectID)
    items.push(...(await whereWritable('snapshots', projectID, () => work(parts, projectID, directory))))
  }
  return items
}

async function wouldFree(
  { store, clock }: CollectParts,
  projectID: string,
  directory: string,
): Promise<readonly GarbageItem[]> {
  const { unneeded, freed } = await sortOut(store, projectID, clock())
  const goes = [...unneeded, ...freed]
  const ids = goes.map(({ id }) => id)
  const bytes = await sizeOfFreed(directory, ids)
  return goes.length > 0 || bytes > 0 ? [itemOf(goes, projectID, bytes)] : []
}

async function free(
  { store, clock }: CollectParts,
  projectID: string,
  directory: string,
): Promise<readonly GarbageItem[]> {
  let gone: readonly Snapshot[] = []
  const sweep = async (): Promise<ReadonlySet<string>> => {
    const sorted = await store.transaction((tx) => sweepRows(tx, projectID, clock()))
    gone = sorted.gone
    return sorted.wanted
  }
  const { before, after, busy } = await tidyShadow(directory, sweep)
  if (busy) return [{ kind: 'snapshots', what: projectID, bytes: 0, goes: false, why: 'in use now' }]
  const isUnwanted = async () => (await sortOut(store, projectID, clock())).wanted.size === 0
  const left = (await isUnwanted()) ? (await removeShadow(directory, isUnwanted)).after : after
  return gone.length > 0 || before > left ? [itemOf(gone, projectID, before - left)] : []
}

function itemOf(gone: readonly Snapshot[], projectID: string, bytes: number): GarbageItem {
  const count = gone.length === 1 ? '1 snapshot' : `${gone.length} snapshots`
  const why = gone.length > 0 ? `${count} that nobody needs` : 'packed'
  return { kind: 'snapshots', what: gone[0]?.root ?? projectID, bytes, goes: true, why }
}

interface Sorted {
  /** Nobody names them. */
  readonly unneeded: readonly Snapshot[]
  /** Messages name them, but newer ones are near and no fork stands on them. */
  readonly freed: readonly Snapshot[]
  readonly wanted: ReadonlySet<SnapshotID>
}

async function sortOut(
  reader: Pick<Store, 'snapshots' | 'restores'>,
  projectID: string,
  now: number,
): Promise<Sorted> {
  const all = (await reader.snapshots.all()).filter((each) => each.projectID === projectID && !each.freed)
  const named = await reader.snapshots.named()
  const undoable = new Set<SnapshotID>()
  for (const { before, target, state, created } of await reader.restores.all()) {
    if (state === 'running' || state === 'half' || now - created < savedFor) undoable.add(before).add(target)
  }
  const isNeeded = ({ id, saved, created }: Snapshot): boolean =>
    named.has(id) || undoable.has(id) || now - created < (saved ? savedFor : young)
  const needed = all.filter(isNeeded)
  const stays = new Set([...undoable, ...(await reader.snapshots.stoodOn())])
  const freed = thin(
    needed.filter(({ saved }) => !saved),
    stays,
    now,
  )
  const goes = new Set(freed)
  const wanted = new Set(needed.filter((each) => !goes.has(each)).map(({ id }) => id))
  return { unneeded: all.filter((each) => !isNeeded(each)), freed, wanted }
}

async function sweepRows(
  tx: Transaction,
  projectID: string,
  now: number,
): Promise<{ readonly gone: readonly Snapshot[]; readonly wanted: ReadonlySet<SnapshotID> }> {
  const { unneeded, freed, wanted } = await sortOut(tx, projectID, now)
  for (const { id } of unneeded) await tx.snapshots.remove(id)
  for (const { id } of freed) await tx.snapshots.free(id)
  for (const { id, state, created } of await tx.restores.all()) {
    if ((state === 'done' || state === 'undone') && now - created >= savedFor) await tx.restores.remove(id)
  }
  return { gone: [...unneeded, ...freed], wanted }
}
