import { setTimeout as pause } from 'node:timers/promises'
import type { Bough } from '../../bough.ts'
import { hasCode } from '../../tree/error.ts'
import type { Reset, TreeEvent } from '../../tree/event.ts'
import { forestOf, type TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import { soonOnce } from '../../tree/soon-once.ts'

/** When more sessions than this have changed, all are read at once. */
const mostOneByOne = 50
/** After so much work so many times as long is rest, that the screen stays quick however much happens. */
const restFactor = 4

export interface ForestOptions {
  readonly bough: Bough
  now(): number
  /** There is something new. */
  changed(): void
  /** What changed could not be read; it is tried again when something changes next. */
  failed(error: unknown): void
}

/** All sessions as a forest that grows as one looks at it: read once, and then only what has changed. */
export class LiveForest {
  readonly #options: ForestOptions
  readonly #sessions = new Map<SessionID, Session>()
  readonly #forks = new Map<SessionID, SideFork>()
  readonly #stale = new Set<SessionID>()
  readonly #refresh = soonOnce(() => this.#catchUp())
  #mains: ReadonlySet<SessionID> = new Set()
  #asked: ReadonlySet<SessionID> = new Set()
  #rows: readonly TreeRow[] = []
  #isLoaded = false
  #isLoading = false
  #isClosed = false
  #wanted = { all: false, mains: false, asked: false }

  constructor(options: ForestOptions) {
    this.#options = options
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Depth first, oldest first. */
  get rows(): readonly TreeRow[] {
    return this.#rows
  }

  /** Those whose agent asks before it acts. */
  get asked(): ReadonlySet<SessionID> {
    return this.#asked
  }

  parentOf(id: SessionID): SessionID | null {
    return this.#sessions.get(id)?.parentID ?? null
  }

  async load(): Promise<void> {
    this.#isLoading = true
    try {
      await this.#readAll()
    } catch (error) {
      this.#wanted.all = true
      throw error
    } finally {
      this.#isLoading = false
    }
    if (this.#isClosed) return
    this.#isLoaded = true
    this.#arrange()
    const { all, mains, asked } = this.#wanted
    if (this.#stale.size > 0 || all || mains || asked) this.#refresh()
  }

  /** A session is known to be so now. */
  take(session: Session): void {
    this.#sessions.set(session.id, session)
    this.#arrange()
  }

  /** Something has changed somewhere. */
  hear(event: TreeEvent | Reset): void {
    if (event.kind === 'reset') this.#wanted = { all: true, mains: true, asked: true }
    else {
      this.#stale.add(event.sessionID)
      if (event.kind === 'main.moved') this.#wanted.mains = true
      if (event.kind.startsWith('permission.')) this.#wanted.asked = true
    }
    // What is being read may be older than what is heard of.
    if (!this.#isLoading) this.#refresh()
  }

  close(): void {
    this.#isClosed = true
  }

  async #catchUp(): Promise<void> {
    if (this.#isClosed) return
    const since = this.#options.now()
    const { all, mains, asked } = this.#wanted
    const stale = [...this.#stale]
    this.#wanted = { all: false, mains: false, asked: false }
    this.#stale.clear()
    try {
      if (all || stale.length > mostOneByOne) await this.#readAll()
      else {
        await Promise.all(stale.map((id) => this.#read(id)))
        if (mains) await this.#readMains()
        if (asked) await this.#readAsked()
      }
    } catch (error) {
      this.#wanted.all = true
      if (!this.#isClosed) this.#options.failed(error)
      throw error
    }
    if (this.#isClosed) return
    this.#isLoaded = true
    this.#arrange()
    await pause(restFactor * (this.#options.now() - since), undefined, { ref: false })
  }

  async #readAll(): Promise<void> {
    const rows = await this.#options.bough.tree()
    this.#sessions.clear()
    this.#forks.clear()
    const mains = new Set<SessionID>()
    for (const row of rows) {
      this.#sessions.set(row.id, row)
      if (row.fork) this.#forks.set(row.id, row.fork)
      if (row.isMain) mains.add(row.id)
    }
    this.#mains = mains
    await this.#readAsked()
  }

  async #read(id: SessionID): Promise<void> {
    const { bough } = this.#options
    try {
      const [session, fork] = await Promise.all([bough.session(id), bough.sideFork(id)])
      this.#sessions.set(id, session)
      if (fork) this.#forks.set(id, fork)
    } catch (error) {
      if (!hasCode(error, 'not_found')) throw error
      // Others may stand on it: then it stays in the picture, as gone.
      const known = this.#sessions.get(id)
      if (known) this.#sessions.set(id, { ...known, deleted: true })
    }
  }

  async #readMains(): Promise<void> {
    this.#mains = new Set((await this.#options.bough.channels()).map(({ mainID }) => mainID))
  }

  async #readAsked(): Promise<void> {
    this.#asked = new Set((await this.#options.bough.permissions()).map(({ sessionID }) => sessionID))
  }

  #arrange(): void {
    this.#rows = forestOf([...this.#sessions.values()], {
      forks: [...this.#forks.values()],
      mains: this.#mains,
    })
    this.#options.changed()
  }
}
