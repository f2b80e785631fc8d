import { type Message, MessageReferenceType, type MessageSnapshot, MessageType } from 'discord.js'
import type { Heard } from '../port.ts'

/** Whether somebody said something: Discord's own messages (a pin, a call) are nobody's words. */
export const isSaid = ({ type }: Message): boolean =>
  type === MessageType.Default || type === MessageType.Reply

/** A message as the agent is given it: its words, what it forwards, and where its files are. */
export async function heardFrom(message: Message): Promise<Heard> {
  const forwarded = [...message.messageSnapshots.values()].map(forwardedText)
  const paragraphs = [message.content, ...forwarded, filesOf(message)].filter((text) => text.trim() !== '')
  return {
    id: message.id,
    text: paragraphs.join('\n\n') || '(a message without words)',
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

function textOf({ content, embeds }: Message): string {
  const cards = embeds.map(({ title, description }) => [title, description].filter(Boolean).join('\n'))
  return [content, ...cards].filter((text) => text !== '').join('\n\n') || '(a message without words)'
}

const forwardedText = (snapshot: MessageSnapshot): string =>
  `Forwarded message:\n${(snapshot.content || '(without words)').replace(/^/gm, '> ')}`

const filesOf = ({ attachments, stickers }: Message): string =>
  [
    ...attachments.map(({ name, url }) => `(file: ${name}, ${url})`),
    ...stickers.map(({ name }) => `(sticker: ${name})`),
  ].join('\n')
