import { plainText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { Chat } from './chat.ts'
import type { ChatCommand } from './chat-commands.ts'
import { frontEndOf } from './front-end.ts'
import { tellOpenFork } from './open-fork.ts'
import { recallSent } from './recall-sent.ts'
import { findRunning, showRunning } from './show-running.ts'

/** Commands that go to another session, and with it to its channel. */
export const sessionCommands: readonly ChatCommand[] = [
  {
    name: 'branch',
    usage: '/branch [message]',
    summary: 'fork at that message, or at the newest, and stay there',
    run: branch,
  },
  { name: 'open', usage: '/open <session>', summary: 'go to another session', run: open },
]

async function branch(chat: Chat, argument: string): Promise<undefined> {
  const { bough, transcript } = chat
  const { out } = chat.context
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
  await moveTo(chat, fork)
}

async function open(chat: Chat, argument: string): Promise<undefined> {
  const { context, bough, transcript } = chat
  if (argument === '') {
    context.out.line('Name the session to open: /open <session>. /tree shows their ids.')
    return
  }
  const session = await bough.findSession(argument)
  await transcript.reopen(session)
  await moveTo(chat, session)
}

async function moveTo(chat: Chat, session: Session): Promise<void> {
  const running = await findRunning(chat, session.id)
  await chat.place.move(session, frontEndOf(chat))
  await recallSent(chat)
  await tellOpenFork(chat)
  await showRunning(chat, running)
}
