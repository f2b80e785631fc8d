import { drawTree } from '../../tree/drawn/tree-picture.ts'
import { showMessage } from '../message-view.ts'
import type { Chat } from './chat.ts'
import { forkCommands } from './fork-commands.ts'
import { sessionCommands } from './session-commands.ts'

/** Something that a line beginning with "/" asks for, other than a turn. */
export interface ChatCommand {
  readonly name: string
  readonly usage: string
  readonly summary: string
  run(chat: Chat, argument: string): Promise<'quit' | undefined>
}

const shownByLog = 50

export const chatCommands: readonly ChatCommand[] = [
  ...forkCommands,
  ...sessionCommands,
  { name: 'tree', usage: '/tree', summary: 'draw the tree around this session', run: tree },
  { name: 'log', usage: '/log', summary: `the last ${shownByLog} messages`, run: log },
  { name: 'help', usage: '/help', summary: 'this list', run: help },
  {
    name: 'quit',
    usage: '/quit',
    summary: 'leave the chat (also Ctrl-D); forks stay open',
    run: async () => 'quit',
  },
]

export const findChatCommand = (name: string): ChatCommand | undefined =>
  chatCommands.find((command) => command.name === name)

async function tree({ context: { out }, bough, transcript }: Chat): Promise<undefined> {
  const { id } = transcript.session
  const { columns, paint } = out
  for (const line of drawTree(await bough.tree(id), { now: Date.now(), columns, paint, currentID: id }))
    out.line(line)
}

async function log({ context: { out }, bough, transcript }: Chat): Promise<undefined> {
  const view = { now: Date.now(), paint: out.paint }
  for (const message of await bough.messages(transcript.session.id, { limit: shownByLog }))
    out.line(`${showMessage(message, view)}\n`)
}

async function help({ context: { out } }: Chat): Promise<undefined> {
  const widest = Math.max(...chatCommands.map(({ usage }) => usage.length))
  for (const { usage, summary } of chatCommands)
    out.line(`  ${usage.padEnd(widest)}  ${out.paint('dim', summary)}`)
}
