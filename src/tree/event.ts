import type { ChannelID, MessageID, PermissionID, RequestID, SessionID, TurnID, UpdateID } from './ids.ts'

/** What a durable change says of itself: which thing, not what is in it. Whoever cares reads it from the store. */
export type Change =
  | { readonly kind: 'session.created'; readonly sessionID: SessionID }
  | { readonly kind: 'session.updated'; readonly sessionID: SessionID }
  | { readonly kind: 'session.deleted'; readonly sessionID: SessionID }
  | { readonly kind: 'message.added'; readonly sessionID: SessionID; readonly subjectID: MessageID }
  | { readonly kind: 'turn.started'; readonly sessionID: SessionID; readonly subjectID: TurnID }
  | { readonly kind: 'turn.ended'; readonly sessionID: SessionID; readonly subjectID: TurnID }
  | { readonly kind: 'owner.changed'; readonly sessionID: SessionID }
  | { readonly kind: 'request.made'; readonly sessionID: SessionID; readonly subjectID: RequestID }
  /** A fork that comes back to that channel began, was changed, or ended. */
  | { readonly kind: 'fork.entered'; readonly sessionID: SessionID; readonly subjectID: ChannelID }
  | { readonly kind: 'fork.changed'; readonly sessionID: SessionID; readonly subjectID: ChannelID }
  | { readonly kind: 'fork.ended'; readonly sessionID: SessionID; readonly subjectID: ChannelID }
  /** It is main of that channel now. */
  | { readonly kind: 'main.moved'; readonly sessionID: SessionID; readonly subjectID: ChannelID }
  | { readonly kind: 'update.added'; readonly sessionID: SessionID; readonly subjectID: UpdateID }
  | { readonly kind: 'permission.asked'; readonly sessionID: SessionID; readonly subjectID: PermissionID }
  | { readonly kind: 'permission.answered'; readonly sessionID: SessionID; readonly subjectID: PermissionID }

/** A change with its place in the order in which changes were committed. */
export type TreeEvent = Change & { readonly seq: number; readonly at: number }

/** Comes instead of events that are no longer kept: load afresh, then go on from `seq`. */
export interface Reset {
  readonly kind: 'reset'
  readonly seq: number
}
