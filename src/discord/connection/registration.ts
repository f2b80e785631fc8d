import {
  type ApplicationCommandDataResolvable,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
} from 'discord.js'
import type { CommandLook } from '../port.ts'

/** A command for direct messages with the bot, and nowhere else. */
export const registrationOf = ({
  name,
  summary,
  argument,
}: CommandLook): ApplicationCommandDataResolvable => ({
  name,
  description: summary,
  contexts: [InteractionContextType.BotDM],
  integrationTypes: [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  options: argument
    ? [
        {
          type: ApplicationCommandOptionType.String,
          name: argument.name,
          description: argument.summary,
          required: argument.isRequired,
        },
      ]
    : [],
})
