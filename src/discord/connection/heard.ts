import { type Message, MessageReferenceType, type MessageSnapshot, MessageType } from 'discord.js'
import type { Heard } from '../port.ts'

/** Whether somebody said something: Discord's own messages (a pin, a call) are nobody's words. */
export const isSaid = ({ type }: Message): boolean =>
  type === MessageType.Default || type === MessageType.Reply

/** A message as the agent is given it: its words, what it forwards, and where its files are. */
export async function heardFrom(message: Message): Promise<Heard> {
  const forwarded = message.messageSnapshots.map(
    (snapshot) => `Forwarded message:\n${textOf(snapshot).replace(/^/gm, '> ')}`,
  )
  return {
    id: message.id,
    text: joined([message.content, ...forwarded, filesOf(message)]),
    replyTo: await replyOf(message),
  }
}

// A forward has a reference, too.
async function replyOf(message: Message): Promise<Heard['replyTo']> {
  const { reference, type } = message
  if (type !== MessageType.Reply || reference?.type !== MessageReferenceType.Default) return null
  if (reference.messageId === undefined) return null
  const replied = await message.fetchReference().catch(() => null)
  return { externalID: reference.messageId, text: replied ? textOf(replied) : '(that message is gone)' }
}

type Words = Pick<MessageSnapshot, 'content' | 'embeds' | 'attachments' | 'stickers'>

function textOf(message: Words): string {
  const cards = message.embeds.map(({ title, description }) =>
    [title, description].filter(Boolean).join('\n'),
  )
  return joined([message.content, ...cards, filesOf(message)])
}

const filesOf = ({ attachments, stickers }: Words): string =>
  [
    ...attachments.map(({ name, url }) => `(file: ${name}, ${url})`),
    ...stickers.map(({ name }) => `(sticker: ${name})`),
  ].join('\n')

const joined = (paragraphs: readonly (string | null)[]): string =>
  paragraphs.filter((text) => text?.trim()).join('\n\n') || '(a message without words)'
