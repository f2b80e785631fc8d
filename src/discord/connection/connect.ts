import { type BaseInteraction, Client, Events, GatewayIntentBits, type Message, Partials } from 'discord.js'
import { messageOf } from '../../tree/error.ts'
import type { CommandLook, Hearing, Port } from '../port.ts'
import { conversation } from './conversation.ts'
import { heardFrom, isSaid } from './heard.ts'
import { acknowledged, acknowledgedClick } from './interaction.ts'
import { leave } from './leave.ts'
import { reasonOf, refusalOf } from './refusal-of.ts'
import { registrationOf } from './registration.ts'

export interface DiscordAccount {
  readonly token: string
  readonly ownerID: string
  /** Another address than Discord's own, without the version. */
  readonly api: string | null
}

/** Milliseconds that Discord has to answer a request, which is then tried again. */
const requestLasts = 8_000
const onlyItsOwner = 'This bot answers only its owner, and only in direct messages.'

/** Connects to the owner's direct messages. Nobody else is heard. */
export async function connectDiscord(
  { token, ownerID, api }: DiscordAccount,
  commands: readonly CommandLook[],
  hearing: Hearing,
): Promise<Port> {
  const client = new Client({
    intents: [GatewayIntentBits.DirectMessages],
    // Without it, direct messages are not told of.
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { timeout: requestLasts, ...(api !== null && { api }) },
  })
  // Also what is thrown by those below that are async. Nobody else would catch it, and the process would end.
  client.on(Events.Error, (error) => hearing.log(messageOf(error)))
  client.on(Events.ShardError, (error) => hearing.log(messageOf(error)))
  // It comes only where discord.js does not connect anew.
  client.on(Events.ShardDisconnect, ({ code }) => hearing.lost(reasonOf(code)))
  client.on(Events.ShardReady, () => hearing.ready())
  client.on(Events.ShardResume, () => hearing.ready())
  client.on(Events.MessageCreate, async (message) => hear(message, ownerID, hearing))
  // By their ids.
  const switchedOff = new Set<string>()
  client.on(Events.InteractionCreate, (interaction) =>
    obey(interaction, ownerID, commands, switchedOff, hearing),
  )
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve))
  try {
    await client.login(token)
    const connected = await ready
    await connected.application.commands.set(commands.map(registrationOf))
    return conversation(connected, await connected.users.createDM(ownerID), ownerID)
  } catch (error) {
    await leave(client)
    throw refusalOf(error, ownerID)
  }
}

function hear(message: Message, ownerID: string, hearing: Hearing): void {
  // Our own come back, too.
  if (message.author.id === message.client.user.id) return
  if (message.author.id !== ownerID || !message.channel.isDMBased())
    hearing.log(`A message of ${message.author.username} (${message.author.id}) was not answered.`)
  else if (isSaid(message)) hearing.message(heardFrom(message))
}

async function obey(
  interaction: BaseInteraction,
  ownerID: string,
  commands: readonly CommandLook[],
  switchedOff: Set<string>,
  hearing: Hearing,
): Promise<void> {
  if (!interaction.isChatInputCommand() && !interaction.isButton()) return
  const { user } = interaction
  if (user.id !== ownerID || interaction.inGuild()) {
    hearing.log(`${user.username} (${user.id}) was refused.`)
    await interaction.reply({ content: onlyItsOwner, flags: 'Ephemeral' })
  } else if (interaction.isButton()) hearing.click(acknowledgedClick(interaction, switchedOff))
  else {
    const known = commands.find(({ name }) => name === interaction.commandName)
    hearing.command(acknowledged(interaction, known?.staysInView ?? false))
  }
}
