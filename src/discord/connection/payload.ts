import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIEmbed,
  type AttachmentPayload,
  ButtonStyle,
  ComponentType,
} from 'discord.js'
import type { Button, Card, Content } from '../port.ts'
import { cutTo, limits } from '../views/limits.ts'

export interface Payload {
  readonly content: string
  readonly embeds: readonly APIEmbed[]
  readonly components: readonly APIActionRowComponent<APIButtonComponentWithCustomId>[]
  readonly files: readonly AttachmentPayload[]
}

/** A message as Discord takes it. What it does not have is said, too: so an edit takes it away. */
export const payloadOf = ({ text = '', card, buttons = [], file }: Content): Payload => ({
  content: text,
  embeds: card ? [embedOf(card)] : [],
  components: rowsOf(buttons),
  files: file ? [{ name: file.name, attachment: Buffer.from(file.text) }] : [],
})

const embedOf = ({ title, body, colour }: Card): APIEmbed => ({
  title: cutTo(title, limits.cardTitle),
  ...(body !== '' && { description: cutTo(body, limits.cardBody) }),
  color: colour,
})

const rowsOf = (buttons: readonly Button[]): Payload['components'] =>
  Array.from({ length: Math.ceil(buttons.length / limits.buttonsInRow) }, (_, row) => ({
    type: ComponentType.ActionRow,
    components: buttons
      .slice(row * limits.buttonsInRow, (row + 1) * limits.buttonsInRow)
      .map(({ id, label, look, isOff = false }) => ({
        type: ComponentType.Button,
        custom_id: id,
        label: cutTo(label, limits.buttonLabel),
        style: styles[look],
        disabled: isOff,
      })),
  }))

const styles = {
  plain: ButtonStyle.Secondary,
  good: ButtonStyle.Success,
  bad: ButtonStyle.Danger,
  main: ButtonStyle.Primary,
} as const satisfies Record<Button['look'], ButtonStyle>
