import type { Bough } from '../bough.ts'
import type { Permission } from '../tree/permission.ts'
import type { Session } from '../tree/session.ts'
import type { ActionName } from './keys/actions.ts'
import type { KeyMap } from './keys/key-map.ts'
import type { Panel } from './panels/panel.ts'
import type { Theme, Tone } from './screen/theme.ts'
import type { TabBeginning } from './start/restore-tabs.ts'
import type { Tab } from './tab/tab.ts'
import type { Highlight } from './transcript/markdown.ts'

/** What tabs and panels may ask of the program around them. */
export interface Ui {
  readonly bough: Bough
  readonly theme: Theme
  readonly keys: KeyMap
  /** Null until it is loaded. */
  readonly highlight: Highlight | null
  /** The one that is shown. */
  readonly tab: Tab
  readonly tabs: readonly Tab[]
  isShown(tab: Tab): boolean
  /** What agents ask, anywhere. */
  readonly permissions: readonly Permission[]
  /** What changes elsewhere cannot be heard just now. */
  readonly isAway: boolean
  now(): number
  /** When the program began to show itself. */
  readonly openedAt: number
  /** Where the program was started: new sessions work there; null where that is nowhere special. */
  readonly directory: string | null
  /** Tops of projects that the person was asked about already. */
  readonly offeredTrust: Set<string>
  redraw(): void
  /** The same for what changes with every word: not more often than the eye can follow. */
  redrawSoon(): void
  /** Resolves when a frame has been drawn after this: for what can wait until then. */
  drawn(): Promise<void>
  open(panel: Panel): void
  /** Opens a panel that has to be loaded: keys that come meanwhile are for it. `name` is what it was asked for with. */
  openSoon(name: ActionName, load: () => Promise<Panel>): void
  close(panel: Panel): void
  /** Does an action, as its key would. */
  perform(name: ActionName): void
  /** Shows a session in a tab of its own: the one that shows it already, or a new one. */
  openTab(session: Session, beginning?: TabBeginning): Promise<Tab>
  showTab(tab: Tab): void
  closeTab(tab: Tab): void
  /** When a key was pressed last. */
  readonly lastKey: number
  /** A tab shows something else or more, or what is around it was read again. */
  tabChanged(): void
  /** What agents ask: what is shown already comes to the front, else all of it as a list. */
  openApprovals(): void
  /** The panel that keys are for; null where they are for the tab. */
  readonly panel: Panel | null
  /** What an agent asks, while it is shown and the keys go elsewhere; null where nothing is. */
  readonly shownAside: Panel | null
  /** One line above the status, until the next key. */
  tell(text: string, tone?: Tone): void
  /** Whether this was asked for already, so many milliseconds ago at most. */
  isAgain(name: ActionName, within: number): boolean
  /** Does something that may fail, and tells what went wrong. */
  attempt(work: () => Promise<unknown>): void
  quit(): void
  /** Gives the terminal back until the person comes back to the program (`fg`). */
  suspend(): void
}
