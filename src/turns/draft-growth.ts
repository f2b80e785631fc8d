import type { MessageID } from '../tree/ids.ts'
import type { Part } from '../tree/message.ts'
import type { TurnEvent } from '../tree/turn.ts'

/** A message that streams, as far as it has been told. */
export interface Grown {
  readonly messageID: MessageID
  readonly parts: readonly Part[]
}

/**
 * What has come to a message since it was looked at last. Parts are only ever added, and only the last one grows; lengths are
 * compared and not words, since a message that joins the tree has characters replaced that cannot be stored.
 */
export function growthOf(before: Grown | null, { messageID, parts }: Grown): readonly TurnEvent[] {
  const known = before?.messageID === messageID ? before.parts : []
  return parts.flatMap((part, i) => newIn(part, known[i], messageID) ?? [])
}

function newIn(part: Part, was: Part | undefined, messageID: MessageID): TurnEvent | null {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const text = part.text.slice(was?.type === part.type ? was.text.length : 0)
      return text === '' ? null : { type: part.type, messageID, text }
    }
    case 'tool-call':
      return was ? null : { type: 'tool-call', messageID, call: part }
    case 'tool-result':
      return was ? null : { type: 'tool-result', messageID, result: part }
    case 'context':
    case 'notice':
      return null
  }
}
