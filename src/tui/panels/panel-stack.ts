import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { ActionName } from '../keys/actions.ts'
import { Approvals } from '../side-forks/approvals.ts'
import type { Ui } from '../ui.ts'
import { Openings } from './openings.ts'
import type { Panel } from './panel.ts'

/** What lies over the tabs, the lowest first: what the person has opened, and what agents ask. */
export class PanelStack {
  readonly #ui: Ui
  readonly #approvals: Approvals
  readonly #openings: Openings
  #all: readonly Panel[] = []

  /** `press` takes keys that came while a panel was being loaded. */
  constructor(ui: Ui, press: (data: string, at: number) => void) {
    this.#ui = ui
    this.#approvals = new Approvals(ui)
    this.#openings = new Openings(ui, press)
  }

  get all(): readonly Panel[] {
    return this.#all
  }

  /** The one that keys are for. */
  get focused(): Panel | undefined {
    return this.#all.findLast(({ isAside }) => !isAside)
  }

  /** What an agent asks, while the keys go elsewhere. */
  get aside(): Panel | null {
    return this.#approvals.aside
  }

  open(panel: Panel): void {
    this.#all = [...this.#all, panel]
    this.#ui.redraw()
  }

  openSoon(name: ActionName, load: () => Promise<Panel>): void {
    this.#openings.begin(name, load)
  }

  openApprovals(): void {
    this.#approvals.openQueue()
  }

  close(panel: Panel): void {
    this.#all = this.#all.filter((each) => each !== panel)
    panel.closed?.()
    this.#approvals.closed(panel)
    this.lookForApprovals()
    this.#ui.redraw()
  }

  /** The shown tab is another one, or another state of it. */
  tabChanged(): void {
    for (const panel of this.#all) panel.tabChanged?.()
    this.lookForApprovals()
  }

  /** The agent of the shown tab may ask something, or what was asked is answered. */
  lookForApprovals(): void {
    this.#approvals.look(this.#all)
  }

  /** Keeps a key for a panel that is being loaded; false where there is none. */
  hold(data: string, at: number): boolean {
    return this.#openings.hold(data, at)
  }

  keyComes(): void {
    for (const panel of this.#all) panel.keyComes?.()
  }

  hear(event: TreeEvent | Reset): void {
    for (const panel of this.#all) panel.hear?.(event)
  }
}
