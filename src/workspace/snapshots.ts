import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { Store, Transaction } from '../store/store.ts'
import type { Clock, Ids, MessageID, TurnID } from '../tree/ids.ts'
import type { Snapshot } from '../tree/snapshot.ts'
import { captureFiles } from './capture-files.ts'
import { findProject } from './project.ts'
import { Shadow } from './shadow.ts'

/** Files above this are named in a snapshot, not captured. */
const largestFile = 100 * 1024 * 1024

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
    const project = await findProject(directory)
    const shadow = await Shadow.open(dataDirectory, project)
    const { tree, missing } = await captureFiles(shadow, project, largestFile)
    const snapshot: Snapshot = {
      id: ids.snapshot(),
      projectID: project.id,
      root: project.root,
      tree,
      head: project.repository?.head ?? null,
      branch: project.repository?.branch ?? null,
      missing,
      beside: await this.#turnsBeside(project.root, at),
      created: clock(),
    }
    const latest = await store.snapshots.latest(project.root)
    const same = latest && sameFiles(latest, snapshot) ? latest : null
    // The ref first: a snapshot that the store knows must be there.
    if (!same) await writeRef(shadow, snapshot)
    await store.transaction(async (tx) => {
      await at.fence(tx)
      if (!same) await tx.snapshots.insert(snapshot)
      await tx.snapshots.mark(at.messageID, (same ?? snapshot).id)
    })
    return same ?? snapshot
  }

  async #turnsBeside(root: string, { turnID, since }: Moment): Promise<readonly TurnID[]> {
    const turns = await this.#parts.store.turns.since(since)
    return turns
      .filter(
        ({ id, directory }) => id !== turnID && (directory === root || directory.startsWith(root + sep)),
      )
      .map(({ id }) => id)
  }
}

const sameFiles = (a: Snapshot, b: Snapshot): boolean =>
  a.projectID === b.projectID &&
  a.tree === b.tree &&
  a.head === b.head &&
  a.branch === b.branch &&
  JSON.stringify([a.missing, a.beside]) === JSON.stringify([b.missing, b.beside])

// As git itself would write it, without starting git.
async function writeRef(shadow: Shadow, { id, tree }: Snapshot): Promise<void> {
  const directory = join(shadow.directory, 'refs', 'snapshots')
  await mkdir(directory, { recursive: true })
  const aside = join(shadow.directory, `new-${id}`)
  await writeFile(aside, `${tree}\n`, { flush: true })
  await rename(aside, join(directory, id))
}
