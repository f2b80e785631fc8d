import type { SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import type { Place } from '../tab/place.ts'
import type { Tab } from '../tab/tab.ts'

type Runs = Pick<Place, 'allRuns'>

/** Which runs of a channel have ended since the tab was opened, and the person has not seen how. */
export class UnseenRuns {
  readonly #seen = new Set<SessionID>()

  constructor(place: Runs) {
    this.see(place)
  }

  /** The newest first. */
  in({ allRuns }: Runs): readonly SideFork[] {
    return allRuns.filter(({ state, sessionID }) => state === 'ended' && !this.#seen.has(sessionID))
  }

  /** The person has seen how those ended that are over. */
  see({ allRuns }: Runs): void {
    for (const { state, sessionID } of allRuns) if (state === 'ended') this.#seen.add(sessionID)
  }
}

/** Those that ended unseen in a tab's channel; one that is looked at in another tab is seen there. */
export const unseenIn = ({ unseenRuns, place, ui }: Tab): readonly SideFork[] =>
  unseenRuns.in(place).filter(({ sessionID }) => !ui.tabs.some((tab) => tab.place.watched === sessionID))
