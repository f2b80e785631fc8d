import type { PersonsDoing } from '../../src/bough.ts'
import type { Home } from '../../src/home.ts'
import type { ChannelID, ScheduleID, SessionID } from '../../src/tree/ids.ts'
import type { Outgoing } from '../../src/tree/outgoing.ts'

/** What a test wants of `keeper.ts`. */
export interface Keeping {
  /** Absent: that of its environment. */
  readonly home?: Home
  /** A file that says what time it is; null for the real time. */
  readonly clock: string | null
  /** A channel that it shows. */
  readonly attends: ChannelID | null
  readonly keepsTime: boolean
  /** Milliseconds that a process which stands still keeps what it has in hand; absent: the usual. */
  readonly patience?: number
  /** Milliseconds that one which stands still keeps a session; absent: the usual. */
  readonly lease?: number
  /** What its chat does not do: `show` never comes to an end, `send` fails. */
  readonly fails?: 'show' | 'send'
}

/** What a test tells it to do; `id` comes back with every report about it. */
export type KeeperOrder = { readonly id: number } & (
  | { readonly do: 'say'; readonly channelID: ChannelID; readonly what: PersonsDoing }
  | { readonly do: 'run'; readonly channelID: ChannelID; readonly prompt: string }
  | { readonly do: 'run-schedule'; readonly scheduleID: ScheduleID }
)

export type KeeperReport =
  | { readonly kind: 'ready' }
  /** The channel that it shows was sent something. */
  | { readonly kind: 'sent'; readonly what: Outgoing }
  /** A turn begins in the channel that it shows. */
  | { readonly kind: 'shown'; readonly sessionID: SessionID; readonly prompt: string }
  /** A turn that it shows is over. */
  | { readonly kind: 'over'; readonly sessionID: SessionID }
  | { readonly kind: 'said'; readonly id: number }
  | { readonly kind: 'started'; readonly id: number; readonly sessionID: SessionID }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
