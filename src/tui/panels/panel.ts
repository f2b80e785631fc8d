import type { Reset, TreeEvent } from '../../tree/event.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import type { Frame, Size } from '../screen/frame.ts'

/** Something that lies over the screen and takes the keys, until it is closed. */
export interface Panel {
  /** A box in the middle, a box between the transcript and the composer, all of the screen below the tabs, or a line above the status. */
  readonly shape: 'box' | 'docked' | 'whole' | 'bar'
  /** Whose keys count. */
  readonly scopes: readonly Scope[]
  /** It is only shown: keys go to what lies below it. */
  readonly isAside?: boolean
  /** A key was pressed; who gets it is decided after this. */
  keyComes?(): void
  /** At most as large as there is room; the border is its own. */
  draw(room: Size): Frame
  act(name: ActionName): void
  /** A key that is no action: something is typed. */
  type?(data: string): void
  wheel?(lines: number): void
  /** Another tab is shown, or one shows another session, or more of it. */
  tabChanged?(): void
  /** Something has changed somewhere. */
  hear?(event: TreeEvent | Reset): void
  /** It is gone from the screen. */
  closed?(): void
}
