import type { MessageID, SessionID, TurnID } from './ids.ts'
import type { Message, Part, ToolCallPart, ToolResultPart } from './message.ts'
import type { Permission } from './permission.ts'

/** What a turn says while it runs, to whoever watches it. Only `message` is durable. */
export type TurnEvent =
  | { readonly type: 'text'; readonly messageID: MessageID; readonly text: string }
  | { readonly type: 'reasoning'; readonly messageID: MessageID; readonly text: string }
  | { readonly type: 'tool-call'; readonly messageID: MessageID; readonly call: ToolCallPart }
  | { readonly type: 'tool-result'; readonly messageID: MessageID; readonly result: ToolResultPart }
  | { readonly type: 'permission'; readonly permission: Permission }
  | { readonly type: 'message'; readonly message: Message }
  /** Something bough tells the person about this turn. */
  | { readonly type: 'notice'; readonly text: string }
  | { readonly type: 'ended'; readonly end: TurnEnd }

/** One prompt and everything the agent does until it stops, for whoever watches. */
export interface Turn {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly prompt: Message
  /** What happens, from the beginning, whenever it is read; a slow reader does not slow the turn. */
  readonly events: AsyncIterable<TurnEvent>
  readonly ended: Promise<TurnEnd>
}

export type TurnOutcome = 'finished' | 'interrupted' | 'failed'

export interface TurnEnd {
  readonly outcome: TurnOutcome
  /** For a person: why it failed or was interrupted. */
  readonly reason: string | null
}

/** The message that streams: it has its id already, but joins the tree only when it is finished. */
export interface Draft {
  readonly messageID: MessageID
  readonly role: 'assistant' | 'tool'
  readonly parts: readonly Part[]
}

/** A turn as the store keeps it; `outcome` is null while it runs. */
export interface TurnRecord {
  readonly id: TurnID
  readonly sessionID: SessionID
  readonly promptID: MessageID
  readonly draft: Draft | null
  readonly outcome: TurnOutcome | null
  readonly reason: string | null
  readonly started: number
  readonly ended: number | null
}
