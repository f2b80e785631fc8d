import type { MessageID } from '../../tree/ids.ts'
import { type ListStep, stepFrom } from '../panels/scrolled-list.ts'

// Looking back for a place to fork:
//
//   off ── Esc, on an empty line, no turn running ──▶ on, the newest stop selected
//   on ── Esc ──▶ one stop back; on the first: off
//   on ── the third Esc of a quick run (each within 400 ms of the one before; the one that entered counts) ──▶ off
//   on ── ↑ ↓ PgUp PgDn Home End u, wheel, click ──▶ another stop; where that is not loaded yet, once it is
//   on ── q, Ctrl+C, or a fork ──▶ off
//   on ── a letter that is no key here, or a paste ──▶ off, and it stands in the composer
//   off ── Esc, within 400 ms of one that left, or of one that did nothing for that reason ──▶ off: it belongs to their run
//
// Leaving changes nothing: what was selected is only looked at until somebody forks.

export type Backtrack = NotLookingBack | LookingBack

export interface NotLookingBack {
  readonly on: false
  /** When the last Esc of the run came that left. */
  readonly leftAt?: number
}

export interface LookingBack {
  readonly on: true
  readonly selected: MessageID
  /** The run of quick Escs: how many, and when the last one came. */
  readonly escapes: { readonly count: number; readonly at: number }
  /** A key leads to messages that are still being loaded: until then nobody forks what is selected. */
  readonly isMoving?: boolean
}

/** Somewhere that can be forked. */
export interface Stop {
  readonly id: MessageID
  readonly isPersons: boolean
}

export const notLookingBack: NotLookingBack = { on: false }

/** Milliseconds between two Escs of a quick run. */
const quick = 400

/** How far PgUp and PgDn go. */
const page = 10

/** Begins at the newest stop; off where there is none, and where the Esc is one too many of those that left. */
export function enter({ leftAt }: NotLookingBack, stops: readonly Stop[], now: number): Backtrack {
  if (leftAt !== undefined && now - leftAt <= quick) return { on: false, leftAt: now }
  const newest = stops.at(-1)
  return newest ? { on: true, selected: newest.id, escapes: { count: 1, at: now } } : notLookingBack
}

export function pressEscape(state: LookingBack, stops: readonly Stop[], now: number): Backtrack {
  const count = now - state.escapes.at <= quick ? state.escapes.count + 1 : 1
  const left: NotLookingBack = { on: false, leftAt: now }
  if (count >= 3) return left
  const at = placeOf(state, stops)
  const before = stops[at - 1]
  return before ? { on: true, selected: before.id, escapes: { count, at: now } } : left
}

export type Step = ListStep | 'own'

export function step(state: LookingBack, stops: readonly Stop[], way: Step): LookingBack {
  const to = stops[target(placeOf(state, stops), stops, way)]
  return to ? select(state, to.id) : state
}

/** Any other key ends a run of quick Escs. */
export const select = (_: LookingBack, selected: MessageID): LookingBack => ({
  on: true,
  selected,
  escapes: { count: 0, at: Number.NEGATIVE_INFINITY },
})

function target(at: number, stops: readonly Stop[], way: Step): number {
  if (way !== 'own') return stepFrom(at, way, stops.length, page)
  // From the first of them on to the newest: so every one can be reached with one key.
  const own = [...stops.keys()].filter((i) => stops[i]?.isPersons)
  return own.findLast((i) => i < at) ?? own.at(-1) ?? at
}

function placeOf({ selected }: LookingBack, stops: readonly Stop[]): number {
  const at = stops.findIndex(({ id }) => id === selected)
  return at === -1 ? stops.length - 1 : at
}
