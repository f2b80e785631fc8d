import { showMessage } from '../message-view.ts'
import { plainText } from '../plain-text.ts'
import { drawTree } from '../tree-picture.ts'
import type { Chat } from './chat.ts'

/** Something that a line beginning with "/" asks for, other than a turn. */
export interface ChatCommand {
  readonly name: string
  readonly usage: string
  readonly summary: string
  run(chat: Chat, argument: string): Promise<'quit' | undefined>
}

const shownByLog = 50

export const chatCommands: readonly ChatCommand[] = [
  {
    name: 'branch',
    usage: '/branch [message]',
    summary: 'fork at that message, or at the newest, and go there',
    run: branch,
  },
  { name: 'tree', usage: '/tree', summary: 'draw the tree around this session', run: tree },
  { name: 'open', usage: '/open <session>', summary: 'go to another session', run: open },
  { name: 'log', usage: '/log', summary: `the last ${shownByLog} messages`, run: log },
  { name: 'help', usage: '/help', summary: 'this list', run: help },
  { name: 'quit', usage: '/quit', summary: 'leave the chat (also Ctrl-D)', run: async () => 'quit' },
]

export const findChatCommand = (name: string): ChatCommand | undefined =>
  chatCommands.find((command) => command.name === name)

async function branch({ context: { out }, bough, transcript }: Chat, argument: string): Promise<undefined> {
  const { id } = transcript.session
  const message = argument === '' ? null : await bough.findMessage(id, argument)
  const onSetUp = (text: string): void => out.write(plainText(text))
  const fork = await bough.fork(id, { onSetUp, ...(message && { messageID: message.id }) })
  if (fork.context.kind === 'seed') {
    const { why, warning } = fork.context
    out.line(out.paint('dim', `${plainText(why)} It gets the conversation as a seed.`))
    if (warning !== null) out.line(out.paint('yellow', warning))
  }
  out.line(out.paint('dim', fork.files.why))
  for (const notice of fork.files.notices) out.line(out.paint('yellow', plainText(notice).trimEnd()))
  await transcript.enter(fork)
}

async function tree({ context: { out }, bough, transcript }: Chat): Promise<undefined> {
  const { id } = transcript.session
  const { columns, paint } = out
  for (const line of drawTree(await bough.tree(id), { now: Date.now(), columns, paint, currentID: id }))
    out.line(line)
}

async function open({ context: { out }, bough, transcript }: Chat, argument: string): Promise<undefined> {
  if (argument === '') out.line('Name the session to open: /open <session>. /tree shows their ids.')
  else await transcript.reopen(await bough.findSession(argument))
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
