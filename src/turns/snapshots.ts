import { realpath } from 'node:fs/promises'
import { sep } from 'node:path'
import type { Store, Transaction } from '../store/store.ts'
import type { Clock, Ids, MessageID, TurnID } from '../tree/ids.ts'
import type { Snapshot } from '../tree/snapshot.ts'

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
  /** Throws when the turn may write nothing more. */
  fence(tx: Transaction): Promise<void>
}

/** Takes snapshots and keeps them: the files in a shadow, what they mean in the store. */
export class Snapshots {
  readonly #parts: SnapshotParts

  constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  /** The state of a directory's project now, noted at a message. Where nothing changed it is the one before. */
  async take(directory: string, at: Moment): Promise<Snapshot> {
    const { store, ids, clock, dataDirectory } = this.#parts
    // Loaded when it is first needed: a command that only reads starts faster without.
    const { captureProject } = await import('../workspace/capture-project.ts')
    const { keep, ...files } = await captureProject(dataDirectory, directory)
    const beside = await this.#turnsBeside(files.root, at)
    const snapshot: Snapshot = { id: ids.snapshot(), ...files, beside, created: clock() }
    const latest = await store.snapshots.latest(files.root)
    const same = latest && sameFiles(latest, snapshot) ? latest : null
    // Kept first: what the store knows must be there.
    if (!same) await keep(snapshot.id)
    await store.transaction(async (tx) => {
      await at.fence(tx)
      if (!same) await tx.snapshots.insert(snapshot)
      await tx.snapshots.mark(at.messageID, (same ?? snapshot).id)
    })
    return same ?? snapshot
  }

  async #turnsBeside(root: string, { turnID, since }: Moment): Promise<readonly TurnID[]> {
    const beside: TurnID[] = []
    for (const { id, directory } of await this.#parts.store.turns.since(since)) {
      if (id === turnID) continue
      const real = await realpath(directory).catch(() => directory)
      if (real === root || real.startsWith(root + sep)) beside.push(id)
    }
    return beside
  }
}

const sameFiles = (a: Snapshot, b: Snapshot): boolean =>
  a.projectID === b.projectID &&
  a.tree === b.tree &&
  a.head === b.head &&
  a.branch === b.branch &&
  JSON.stringify([a.missing, a.beside]) === JSON.stringify([b.missing, b.beside])
