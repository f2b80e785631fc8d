import { ApplicationCommandType, InteractionContextType } from 'discord-api-types/v10'
import { z } from 'zod'
import { badLength, invalidForm, tooLong } from './api-error.ts'

// Slash commands: how a bot registers them, and how a person fills one in.

const commandOption = z.looseObject({
  type: z.number(),
  name: z.string(),
  description: z.string().default(''),
  required: z.boolean().default(false),
  choices: z.array(z.looseObject({ value: z.union([z.string(), z.number()]) })).default([]),
})

export const commandBody = z.looseObject({
  name: z.string(),
  type: z.number().default(ApplicationCommandType.ChatInput),
  description: z.string().default(''),
  options: z.array(commandOption).default([]),
  contexts: z.array(z.number()).nullish(),
  integration_types: z.array(z.number()).optional(),
})

export type CommandBody = z.infer<typeof commandBody>
export interface Command extends CommandBody {
  readonly id: string
  readonly application_id: string
  readonly version: string
}

export type OptionValue = string | number | boolean

/** Throws what Discord answers to a command that it does not take. */
export function checkCommand({ name, type, description, options }: CommandBody): void {
  if (!/^[-_'\p{L}\p{N}]{1,32}$/u.test(name) || name !== name.toLowerCase())
    throw invalidForm('name', 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid')
  if (type === ApplicationCommandType.ChatInput) checkDescription(description, 'description')
  if (options.length > 25) throw tooLong('options', 25)
  for (const [index, option] of options.entries()) {
    checkDescription(option.description, `options.${index}.description`)
    if (option.required && options.slice(0, index).some(({ required }) => !required))
      throw invalidForm(
        `options.${index}`,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      )
  }
}

function checkDescription(description: string, path: string): void {
  if (description.length < 1 || description.length > 100) throw badLength(path, 100)
}

/** What a person's client sends; throws when it would not have let them send that. */
export function filledIn(
  commands: readonly Command[],
  name: string,
  values: Readonly<Record<string, OptionValue>>,
) {
  const command = commands.find((one) => one.name === name)
  if (!command) throw new Error(`/${name} was never registered.`)
  const { id, type, options, contexts } = command
  if (contexts && !contexts.includes(InteractionContextType.BotDM))
    throw new Error(`/${name} is not offered in direct messages: its contexts are ${contexts}.`)
  const missing = options.find((option) => option.required && !(option.name in values))
  if (missing) throw new Error(`/${name} needs its option ${missing.name}.`)
  const filled = Object.entries(values).map(([key, value]) => {
    const option = options.find((one) => one.name === key)
    if (!option) throw new Error(`/${name} has no option ${key}.`)
    if (option.choices.length > 0 && !option.choices.some((choice) => choice.value === value))
      throw new Error(`/${name} does not offer ${value} as ${key}.`)
    return { name: key, type: option.type, value }
  })
  return { id, name, type, ...(filled.length > 0 && { options: filled }) }
}
