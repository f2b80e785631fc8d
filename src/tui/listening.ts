import { setTimeout as pause } from 'node:timers/promises'
import type { Bough } from '../bough.ts'
import type { Reset, TreeEvent } from '../tree/event.ts'

//   hearing ── an error, or the connection breaks ──▶ away ── it can be heard again ──▶ hearing; what was missed is read afresh
//
// It ends only when it is aborted.

export interface ListeningOptions {
  readonly signal: AbortSignal
  hear(event: TreeEvent | Reset): void
  /** Nothing can be heard for a while, or again. */
  away(isAway: boolean): void
  /** Why that is, where it is known. */
  failed(error: unknown): void
  sleep?(milliseconds: number): Promise<unknown>
}

const shortest = 50
const longest = 5_000

/** A number that is yet to come: it is answered at once, with a reset. */
const fromNow = Number.MAX_SAFE_INTEGER

/** Hears what changes anywhere, whatever goes wrong in between. */
export async function listen(
  bough: Pick<Bough, 'events'>,
  {
    signal,
    hear,
    away,
    failed,
    sleep = (time) => pause(time, undefined, { signal, ref: false }),
  }: ListeningOptions,
): Promise<void> {
  let wait = shortest
  let isAway = false
  let isTold = false
  const turn = (isAwayNow: boolean): void => {
    if (isAway === isAwayNow) return
    isAway = isAwayNow
    away(isAway)
  }
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const events = bough.events({ signal, away: turn, ...(!isFirst && { after: fromNow }) })
      for await (const event of events) {
        wait = shortest
        isTold = false
        turn(false)
        hear(event)
      }
    } catch (error) {
      if (signal.aborted) return
      // The same again and again would hide all else that is told.
      if (!isTold) failed(error)
      isTold = true
    }
    if (signal.aborted) return
    turn(true)
    await sleep(wait).catch(() => {})
    wait = Math.min(wait * 2, longest)
  }
}
