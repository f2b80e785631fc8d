import { ButtonStyle, ComponentType, MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10'
import { ApiError, badLength, invalidForm, tooLong } from './api-error.ts'
import type { MessageParts } from './message.ts'
import type { Component, Embed, InnerComponent } from './message-body.ts'

/** Throws what Discord answers to a message that it does not take. */
export function checkLimits(parts: MessageParts): void {
  const { content, embeds, components, attachments, flags } = parts
  if (length(content) > 2000) throw tooLong('content', 2000)
  if (content.trim() === '' && embeds.length + components.length + attachments.length === 0)
    throw new ApiError(400, RESTJSONErrorCodes.CannotSendAnEmptyMessage, 'Cannot send an empty message')
  if (attachments.length > 10) throw tooLong('attachments', 10)
  checkEmbeds(embeds)
  if ((flags & MessageFlags.IsComponentsV2) === 0) checkRows(components)
  else if (content !== '' || embeds.length > 0)
    throw invalidForm(
      'content',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
      'The `content` field cannot be used when using MessageFlags.IS_COMPONENTS_V2',
    )
}

/** Discord counts characters, where JavaScript counts two for many an emoji. */
const length = (text: string): number => [...text].length

function checkEmbeds(embeds: readonly Embed[]): void {
  if (embeds.length > 10) throw tooLong('embeds', 10)
  let total = 0
  for (const [index, embed] of embeds.entries()) {
    if ((embed.fields?.length ?? 0) > 25) throw tooLong(`embeds.${index}.fields`, 25)
    for (const { path, text, most } of textsOf(embed)) {
      if (length(text) > most) throw tooLong(`embeds.${index}.${path}`, most)
      total += length(text)
    }
  }
  if (total > 6000)
    throw invalidForm('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000')
}

interface EmbedText {
  readonly path: string
  readonly text: string
  readonly most: number
}

const textsOf = ({ title, description, footer, author, fields }: Embed): EmbedText[] => [
  { path: 'title', text: title ?? '', most: 256 },
  { path: 'description', text: description ?? '', most: 4096 },
  { path: 'footer.text', text: footer?.text ?? '', most: 2048 },
  { path: 'author.name', text: author?.name ?? '', most: 256 },
  ...(fields ?? []).flatMap(({ name, value }, index) => [
    { path: `fields.${index}.name`, text: name, most: 256 },
    { path: `fields.${index}.value`, text: value, most: 1024 },
  ]),
]

function checkRows(rows: readonly Component[]): void {
  if (rows.length > 5) throw badLength('components', 5)
  const customIDs = new Set<string>()
  for (const [index, { type, components = [] }] of rows.entries()) {
    const at = `components.${index}`
    if (type !== ComponentType.ActionRow)
      throw invalidForm(`${at}.type`, 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).')
    if (components.length < 1 || components.length > 5) throw badLength(`${at}.components`, 5)
    for (const [place, component] of components.entries())
      checkComponent(component, `${at}.components.${place}`, customIDs)
  }
}

function checkComponent(component: InnerComponent, at: string, taken: Set<string>): void {
  const { type, style, label = '', custom_id = '' } = component
  if (label.length > 80) throw tooLong(`${at}.label`, 80)
  const isLink = style === ButtonStyle.Link || style === ButtonStyle.Premium
  if (type !== ComponentType.Button || isLink) return
  if (custom_id.length < 1 || custom_id.length > 100) throw badLength(`${at}.custom_id`, 100)
  if (taken.has(custom_id))
    throw invalidForm(
      `${at}.custom_id`,
      'COMPONENT_CUSTOM_ID_DUPLICATED',
      'Component custom id cannot be duplicated',
    )
  taken.add(custom_id)
}
