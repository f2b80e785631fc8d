import type { Command } from './command.ts'
import { branches } from './table/branches.ts'
import { comeback } from './table/comeback.ts'
import { conversations } from './table/conversations.ts'
import { setup } from './table/setup.ts'

/** Every command. Each one's module is loaded only when it runs. */
export const commands: readonly Command[] = [...conversations, ...branches, ...comeback, ...setup]

/** What `bough` without a command does. */
export const start: Command = {
  name: 'start',
  summary: 'Open the terminal UI in this directory',
  personOnly: true,
  positionals: [],
  options: [],
  load: () => import('./commands/start.ts'),
}
