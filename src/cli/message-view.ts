import { ageOf } from '../tree/age.ts'
import type { Paint, Style } from '../tree/drawn/paint.ts'
import { type MessageID, shortID } from '../tree/ids.ts'
import type { Message, Part, Role } from '../tree/message.ts'
import type { NativeMessage } from '../tree/native.ts'
import { plainText } from '../tree/plain-text.ts'
import { speakerOf } from '../tree/speaker.ts'
import { usageWords } from '../tree/usage-words.ts'
import { showCall, showResult } from './tool-line.ts'

export interface MessageViewOptions {
  readonly now: number
  readonly paint: Paint
}

/** What has no place in the tree has no id. */
type Shown = NativeMessage & { readonly id?: MessageID }

/** A finished message as a person reads it: who, which, when, and then what was said and done. */
export function showMessage(message: Shown, { now, paint }: MessageViewOptions): string {
  const facts = [...(message.id ? [shortID(message.id)] : []), ageOf(message.created, now)]
  if (message.status !== 'complete') facts.push(message.status)
  const cost = message.usage ? usageWords(message.usage) : ''
  if (cost !== '') facts.push(cost)
  const head = `${paint(styles[message.role], speakerOf(message))} ${paint('dim', facts.join(' · '))}`
  const body = message.parts.map((part) => showPart(part, paint)).filter((text) => text !== '')
  return [head, ...body].join('\n')
}

/** `you k3f9qa`: enough to fork there. */
export const showMessageID = (message: Pick<Message, 'id' | 'role' | 'parts'>, paint: Paint): string =>
  paint('dim', `· ${speakerOf(message)} ${shortID(message.id)}`)

const styles: Readonly<Record<Role, Style>> = {
  user: ['bold', 'cyan'],
  assistant: ['bold', 'green'],
  tool: 'dim',
  system: 'dim',
  error: ['bold', 'red'],
  summary: 'dim',
}

// What bough put before a prompt is not the person's words, and is not shown as if it were.
function showPart(part: Part, paint: Paint): string {
  switch (part.type) {
    case 'text':
      return plainText(part.text).trimEnd()
    case 'reasoning':
      return paint('dim', plainText(part.text).trimEnd())
    case 'tool-call':
      return showCall(part, paint)
    case 'tool-result':
      return showResult(part, paint)
    case 'notice':
      return paint('yellow', plainText(part.text).trimEnd())
    case 'context':
      return ''
  }
}
