import type { Store, Transaction } from '../store/store.ts'
import type { Clock, Ids, MessageID, TurnID } from '../tree/ids.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import type { Captured } from '../workspace/capture/capture-project.ts'
import type { Touched } from '../workspace/capture/capture-touched.ts'
import { turnsIn } from './restoring.ts'

export interface SnapshotParts {
  readonly store: Store
  readonly ids: Ids
  readonly clock: Clock
  readonly dataDirectory: string
}

/** When a snapshot is taken: at a message of a turn. */
export interface Moment {
  readonly messageID: MessageID
  readonly turnID: TurnID
  /** When the turn began. */
  readonly since: number
  /** The only files that can have changed since the turn's first snapshot; null when it can have been any. */
  readonly touched: Touched | null
  /** Throws when the turn may write nothing more. */
  fence(tx: Transaction): Promise<void>
}

/** A snapshot whose files stay in the shadow from now on. */
export interface Kept {
  readonly snapshot: Snapshot
  /** Makes it known, before the shadow is let go; without that it is cleaned up some day. */
  put(tx: Transaction): Promise<void>
}

/** Takes snapshots and keeps them: the files in a shadow, what they mean in the store. */
export class Snapshots {
  readonly #parts: SnapshotParts

  constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  /** Does some work with the files of a directory's project as they are now. */
  async withCapture<T>(
    directory: string,
    work: (captured: Captured) => Promise<T>,
    touched: Touched | null = null,
  ): Promise<T> {
    // Loaded when it is first needed: a command that only reads starts faster without.
    const { withCapture } = await import('../workspace/capture/capture-project.ts')
    return withCapture(this.#parts.dataDirectory, directory, work, touched)
  }

  /** The state of a directory's project now, noted at a message. Where nothing changed it is the one before. */
  async take(directory: string, at: Moment): Promise<Snapshot> {
    const note = async (captured: Captured): Promise<Snapshot> => {
      const beside = await this.#turnsBeside(captured.root, at)
      const { snapshot, put } = await this.keep(captured, { beside })
      await this.#parts.store.transaction(async (tx) => {
        await at.fence(tx)
        await put(tx)
        await tx.snapshots.mark(at.messageID, snapshot.id)
      })
      return snapshot
    }
    return this.withCapture(directory, note, await this.#touchedBy(directory, at))
  }

  /** Keeps captured files, or another tree in their place: first in the shadow, so that what the store knows is there. */
  async keep(
    captured: Captured,
    {
      beside = [],
      saved = false,
      tree = captured.tree,
    }: Partial<Pick<Snapshot, 'beside' | 'saved' | 'tree'>>,
  ): Promise<Kept> {
    const { store, ids, clock } = this.#parts
    const { projectID, root, head, branch, missing } = captured
    const files = { projectID, root, tree, head, branch, missing, beside, saved }
    // What is saved stays for a time that begins now, so one that was saved long ago is not enough.
    const latest = saved ? null : await store.snapshots.latest(root)
    if (latest && !latest.freed && sameFiles(latest, files)) {
      return { snapshot: latest, put: async () => {} }
    }
    const snapshot: Snapshot = { id: ids.snapshot(), ...files, freed: false, created: clock() }
    await captured.shadow.keep(snapshot.id, tree)
    return { snapshot, put: (tx) => tx.snapshots.insert(snapshot) }
  }

  /** The same, and makes it known while the shadow is still in use: so nobody cleans it up before that. */
  async keepAtOnce(captured: Captured, { saved = false } = {}): Promise<Snapshot> {
    const { snapshot, put } = await this.keep(captured, { saved })
    await this.#parts.store.transaction(put)
    return snapshot
  }

  // Nobody knows what turns beside it have changed.
  async #touchedBy(directory: string, at: Moment): Promise<Touched | null> {
    if (at.touched === null) return null
    const { findProject } = await import('../workspace/project.ts')
    const { root } = await findProject(directory)
    return (await this.#turnsBeside(root, at)).length === 0 ? at.touched : null
  }

  async #turnsBeside(root: string, { turnID, since }: Moment): Promise<readonly TurnID[]> {
    const turns = await this.#parts.store.turns.since(since)
    return (await turnsIn(root, turns)).filter((id) => id !== turnID)
  }
}

const sameFiles = (a: Omit<Snapshot, 'id' | 'created' | 'freed'>, b: typeof a): boolean =>
  a.projectID === b.projectID &&
  a.tree === b.tree &&
  a.head === b.head &&
  a.branch === b.branch &&
  a.saved === b.saved &&
  JSON.stringify([a.missing, a.beside]) === JSON.stringify([b.missing, b.beside])
