import type { Command, Option } from './command.ts'
import { serverOptions } from './server/server-options.ts'

export const helpOption: Option = { name: 'help', short: 'h', description: 'Say what the command does' }

/** Everything that may be given to a command: its own options, and those of every command. */
export const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  helpOption,
  ...serverOptionsOf(command),
]

// One that has an option of the same name means something else by it.
const serverOptionsOf = ({ options }: Command): readonly Option[] =>
  serverOptions.filter(({ name }) => !options.some((own) => own.name === name))

/** `bough send <session> <text or -> [options]` */
export const usageOf = (command: Command): string =>
  [
    'bough',
    command.name,
    ...command.positionals.map(({ label }) => label).filter((label) => label !== ''),
    ...(command.options.length > 0 ? ['[options]'] : []),
  ].join(' ')

export function commandHelp(command: Command): string {
  return joinBlocks([
    `${command.summary}.`,
    `Usage: ${usageOf(command)}`,
    command.details,
    `Options:\n${columns([...command.options, helpOption].map(optionRow))}`,
    `Server, as for every command:\n${columns(serverOptionsOf(command).map(optionRow))}`,
  ])
}

export function overview(commands: readonly Command[]): string {
  return joinBlocks([
    'bough forks conversations with AI agents, at any message.',
    'Usage: bough [command] [options]',
    `Commands:\n${columns(commands.map(({ name, summary }): Row => [name, summary]))}`,
    `Options:\n${columns([
      [optionLabel(helpOption), 'Say what bough or a command does'],
      ['-v, --version', 'Print the version'],
      ...serverOptions.map(optionRow),
    ])}`,
    [
      'A session or message is named by its id, shortened from either end (to 4 characters or more) as long',
      'as it is unique; <session>@<message> names a message. Without a command, bough opens the terminal UI.',
    ].join('\n'),
    'More about a command: bough help <command>',
  ])
}

type Row = readonly [label: string, text: string]

const optionRow = (option: Option): Row => [optionLabel(option), option.description]

function columns(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join('\n')
}

function optionLabel({ name, short, value }: Option): string {
  const long = `--${name}${value === undefined ? '' : ` ${value}`}`
  return short === undefined ? `    ${long}` : `-${short}, ${long}`
}

const joinBlocks = (blocks: readonly (string | undefined)[]): string =>
  `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`
