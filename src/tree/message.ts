import type { MessageID, SessionID, SnapshotID } from './ids.ts'
import type { Usage } from './usage.ts'

export type Role = 'user' | 'assistant' | 'tool' | 'system' | 'error' | 'summary'

/** How a message came to its end. One that still streams is a draft and not in the tree. */
export type MessageStatus = 'complete' | 'interrupted' | 'failed'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Who wrote a prompt, where it was not the person: an agent with one of bough's tools, or a routine or reminder that was due. */
export type Author = 'agent' | 'schedule'

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  readonly author?: Author
}

export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly callID: string
  readonly name: string
  readonly args: Json
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly callID: string
  readonly name: string
  readonly output: string
  /** Of the command that ran; for tools that run none, 0 is fine and 1 is failed. */
  readonly exitCode: number
}

/** What bough put before the person's prompt: the agent reads it, front ends do not show it as their words. */
export interface ContextPart {
  readonly type: 'context'
  readonly text: string
}

/** Something bough tells the person; no agent is given it. */
export interface NoticePart {
  readonly type: 'notice'
  readonly text: string
}

export type Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | ContextPart | NoticePart

/** A message that is finished but has no place in the tree yet. */
export interface NewMessage {
  readonly id: MessageID
  readonly role: Role
  readonly parts: readonly Part[]
  readonly status: MessageStatus
  readonly created: number
  readonly nativeID?: string | null
  readonly usage?: Usage | null
  /** Its usage is counted in another session: the sum of this one leaves it out. */
  readonly isCountedElsewhere?: boolean
}

/** One immutable node of the tree. */
export interface Message {
  readonly id: MessageID
  readonly sessionID: SessionID
  /** Its place among the messages of its session: 1, 2, 3 … without a gap. */
  readonly seq: number
  readonly role: Role
  /** The words of its text parts: what was said, without what was done or thought. */
  readonly text: string
  readonly parts: readonly Part[]
  readonly status: MessageStatus
  /** The last entry of the agent's own history that this message stands for. */
  readonly nativeID: string | null
  readonly usage: Usage | null
  /** The state of the files when it was finished, where one was taken then. */
  readonly snapshot: SnapshotID | null
  readonly created: number
}

export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n')

export const authorOf = (parts: readonly Part[]): Author | null =>
  parts.find((part) => part.type === 'text')?.author ?? null

/** A prompt as an agent is given it: what bough put before it, then the person's words. */
export const promptOf = (parts: readonly Part[]): string =>
  [...parts.flatMap((part) => (part.type === 'context' ? part.text : [])), textOf(parts)]
    .filter((text) => text !== '')
    .join('\n\n')

export const callsOf = (parts: readonly Part[]): readonly ToolCallPart[] =>
  parts.filter((part) => part.type === 'tool-call')

export const resultsOf = (parts: readonly Part[]): readonly ToolResultPart[] =>
  parts.filter((part) => part.type === 'tool-result')
