import type { TreeRow } from '../../tree/forest.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { SessionChange } from '../../tree/session.ts'
import type { Ui } from '../ui.ts'
import type { SessionTree } from './session-tree.ts'
import { Typing } from './typing.ts'

/** What is done with the selected session. */
export class Deeds {
  readonly #ui: Ui
  readonly #tree: SessionTree
  #isOpening = false

  constructor(ui: Ui, tree: SessionTree) {
    this.#ui = ui
    this.#tree = tree
  }

  /** Opens it in a tab. */
  show(): void {
    this.#with(async (row) => {
      await this.#open(row)
    })
  }

  /** Opens it, and there the fork dialog. */
  fork(): void {
    this.#with(async (row) => {
      if (await this.#open(row)) this.#ui.perform('fork.dialog')
    })
  }

  archive(): void {
    this.#with(async ({ id, archived }) => {
      await this.#change(id, { archived: !archived })
      const key = this.#ui.keys.wordsFor('tree.archived')
      this.#ui.tell(archived ? 'It is no longer archived.' : `Archived. ${key} shows what is archived.`)
    })
  }

  renaming({ id, title }: TreeRow): Typing {
    return new Typing('change', 'Title', title, {
      done: (text) => {
        if (text !== '' && text !== title) this.#ui.attempt(() => this.#change(id, { title: text }))
      },
    })
  }

  labelling({ id, labels }: TreeRow): Typing {
    return new Typing('change', 'Labels', labels.join(', '), {
      done: (text) => {
        const wanted = [...new Set(text.split(/[,\s]+/).filter(Boolean))]
        this.#ui.attempt(() => this.#change(id, { labels: wanted }))
      },
    })
  }

  /** Marks it; the second one that is marked is compared with the first. */
  mark(): void {
    this.#with(async ({ id }) => {
      const pair = this.#tree.marks.toggle(id)
      if (pair) this.#compare(...pair)
      else this.#tree.view.step('down')
    })
  }

  /** Compares it with the one that is marked, or else with the one that the person comes from. */
  compare(): void {
    this.#with(async ({ id }) => {
      const { marks, view } = this.#tree
      const other = marks.marked ?? view.hereID
      if (other === id) this.#askWhich()
      else {
        marks.clear()
        this.#compare(other, id)
      }
    })
  }

  #askWhich(): void {
    const key = this.#ui.keys.wordsFor('tree.mark')
    this.#ui.tell(`Compare with which? Go to another session, or mark two with ${key}.`)
  }

  #compare(a: SessionID, b: SessionID): void {
    this.#ui.openSoon('compare.open', async () => {
      const { comparePanel } = await import('../compare/compare.ts')
      return comparePanel(this.#ui, a, b, { left: () => this.#ui.close(this.#tree) })
    })
  }

  async #open({ id }: TreeRow): Promise<boolean> {
    // Who presses twice wants it once.
    if (this.#isOpening) return false
    this.#isOpening = true
    try {
      await this.#ui.openTab(await this.#ui.bough.session(id))
      this.#ui.close(this.#tree)
      return true
    } finally {
      this.#isOpening = false
    }
  }

  async #change(id: SessionID, change: SessionChange): Promise<void> {
    this.#tree.forest.take(await this.#ui.bough.change(id, change))
  }

  #with(work: (row: TreeRow) => Promise<void>): void {
    const row = this.#tree.view.selectedRow
    if (!row) this.#ui.tell('Go to a session first.', 'warning')
    else if (row.deleted) this.#ui.tell('That session was deleted. Only its forks are left.', 'warning')
    else this.#ui.attempt(() => work(row))
  }
}
