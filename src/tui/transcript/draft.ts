import type { MessageID } from '../../tree/ids.ts'
import type { Part } from '../../tree/message.ts'
import type { TurnEvent } from '../../tree/turn.ts'
import type { DraftEntry } from './entry.ts'

export type DraftEvent = Extract<TurnEvent, { type: 'text' | 'reasoning' | 'tool-call' | 'tool-result' }>

/** A draft with what has come since; a new one where there was none, or another message has begun. */
export function grown(draft: DraftEntry | null, event: DraftEvent): DraftEntry {
  const begun = draft?.key === event.messageID ? draft : emptyDraft(event.messageID, event.type)
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return { ...begun, parts: withText(begun.parts, event.type, event.text) }
    case 'tool-call':
      return { ...begun, parts: [...begun.parts, event.call] }
    case 'tool-result':
      return { ...begun, parts: [...begun.parts, event.result], results: [...begun.results, event.result] }
  }
}

const emptyDraft = (key: MessageID, type: DraftEvent['type']): DraftEntry => ({
  kind: 'draft',
  key,
  role: type === 'tool-result' ? 'tool' : 'assistant',
  parts: [],
  results: [],
})

function withText(parts: readonly Part[], type: 'text' | 'reasoning', text: string): readonly Part[] {
  const last = parts.at(-1)
  return last?.type === type
    ? [...parts.slice(0, -1), { type, text: last.text + text }]
    : [...parts, { type, text }]
}
