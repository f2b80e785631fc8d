import {
  type ButtonInteraction,
  type ChatInputCommandInteraction,
  ComponentType,
  DiscordAPIError,
  MessageFlags,
  RESTJSONErrorCodes,
} from 'discord.js'
import type { Click, SlashCommand } from '../port.ts'
import { cutTo } from '../views/limits.ts'
import { payloadOf } from './payload.ts'

const onlyForThem = MessageFlags.Ephemeral
const longestWords = 1900

/** A command that is acknowledged: from now on there is time. */
export async function acknowledged(
  command: ChatInputCommandInteraction,
  staysInView: boolean,
): Promise<SlashCommand> {
  await once(command, command.deferReply(staysInView ? {} : { flags: onlyForThem }))
  const [option] = command.options.data
  return {
    name: command.commandName,
    argument: typeof option?.value === 'string' ? option.value : null,
    async tell(words) {
      const content = cutTo(words, longestWords)
      // What was announced as an answer that stays cannot become one for them alone.
      if (staysInView) await command.deleteReply()
      if (staysInView) await command.followUp({ content, flags: onlyForThem })
      else await command.editReply({ content })
    },
    async show(content) {
      await command.editReply(payloadOf(content))
    },
    async done() {
      // It is only a sign, and after a quarter of an hour it is gone.
      await command.deleteReply().catch(() => {})
    },
  }
}

/** The same for a click. What was switched off before is noted: a click may still show its message as it was until then. */
export async function acknowledgedClick(click: ButtonInteraction, switchedOff: Set<string>): Promise<Click> {
  await once(click, click.deferUpdate())
  return {
    buttonID: click.customId,
    messageID: click.message.id,
    async tell(words) {
      await click.followUp({ content: cutTo(words, longestWords), flags: onlyForThem })
    },
    async switchOff() {
      switchedOff.add(click.customId)
      await click.message.edit({
        components: click.message.components.flatMap((row) =>
          row.type === ComponentType.ActionRow
            ? {
                type: ComponentType.ActionRow,
                components: row.components.flatMap((each) =>
                  each.type === ComponentType.Button
                    ? { ...each.data, disabled: each.disabled || switchedOff.has(each.customId ?? '') }
                    : [],
                ),
              }
            : [],
        ),
      })
    },
  }
}

/** Waits until Discord has noted it. It has, too, when it says that it had before: then its first answer was lost. */
async function once(
  interaction: ChatInputCommandInteraction | ButtonInteraction,
  noted: Promise<unknown>,
): Promise<void> {
  try {
    await noted
  } catch (error) {
    const isNoted =
      error instanceof DiscordAPIError &&
      error.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged
    if (!isNoted) throw error
    interaction.deferred = true
  }
}
