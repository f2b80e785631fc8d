import type { BotGround } from './bot-ground.ts'
import type { InteractionRecord } from './interactions.ts'
import type { Message } from './message.ts'

/** What stands on the buttons of a message that can be clicked. */
export const liveButtons = (message: Message): readonly string[] =>
  buttonsOf(message).flatMap(({ label, disabled }) => (disabled || label === undefined ? [] : label))

/** What stands on those that are off. */
export const deadButtons = (message: Message): readonly string[] =>
  buttonsOf(message).flatMap(({ label, disabled }) => (disabled && label !== undefined ? label : []))

/** A click in a client that still shows a message as it was before. */
export function clicksOld(bot: BotGround, before: Message, label: string): InteractionRecord {
  const customID = buttonsOf(before).find((each) => each.label === label)?.custom_id
  if (customID === undefined) throw new Error(`There is no button ${label}.`)
  return bot.fake.userForges(bot.dm, bot.owner, customID, before)
}

const buttonsOf = ({ components }: Message) => components.flatMap((row) => row.components ?? [])
