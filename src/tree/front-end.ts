import type { OutboxID, SessionID } from './ids.ts'
import type { InboxItem } from './inbox.ts'
import type { Outgoing } from './outgoing.ts'
import type { Permission } from './permission.ts'
import type { Turn } from './turn.ts'

/** What a place to talk does for a channel: it shows, and asks. Everything else is decided elsewhere. */
export interface ChannelFrontEnd {
  /**
   * The channel is another front end's: what is sent there waits for that one, so that it is seen where the person looks for
   * it, and can be edited there. A guest only shows turns, and asks.
   */
  readonly isGuest?: boolean
  /**
   * A turn of main, or of the open fork, begins: what the agent says is shown as it comes. Resolves when all is shown; where
   * that cannot be, it rejects, and what the agent said is sent instead.
   */
  show(turn: Turn, item: InboxItem): Promise<void>
  /**
   * Shows something that a session sends; resolves with its id in the chat, or null where messages have none. `id` is the
   * same when it has to be sent again because nobody knows whether it arrived.
   */
  send(what: Outgoing, id: OutboxID, sessionID: SessionID): Promise<string | null>
  /** Shows something else in place of what was sent. */
  edit(externalID: string, what: Outgoing): Promise<void>
  /** Somebody's approval is wanted, for a turn that is not shown here. The signal says that it no longer is. */
  ask(permission: Permission, signal: AbortSignal): Promise<void>
}

/** How something that comes into a channel is dealt with. */
export interface SayOptions {
  /** Shows the turn instead of the channel's front end. */
  show?(turn: Turn, item: InboxItem): Promise<void>
  /** Told once it is stored, and nothing of it can be lost any more. */
  taken?(): void
  /** Told when its turn begins, whoever shows it. */
  began?(turn: Turn): void
  /** Told which fork it has opened, once it is done. */
  entered?(forkID: SessionID): void
  /** Tells the one who asked, and nobody else. */
  tell?(words: string): void
  /** Withdraws it while it waits, and interrupts its turn. */
  readonly signal?: AbortSignal
}

export interface KeepTimeOptions {
  /** Told, again and again, while nothing is left to do: anywhere, or for this process, since another one sees to it. */
  onIdle?(): void
}
