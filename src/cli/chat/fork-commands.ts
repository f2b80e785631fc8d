import { drawForks } from '../../tree/drawn/fork-list.ts'
import { drawUpdates } from '../../tree/drawn/update-list.ts'
import { shortID } from '../../tree/ids.ts'
import { approvalScopes } from '../../tree/permission.ts'
import { answerWords, scopeNames } from '../../tree/permission-words.ts'
import { runWish } from '../../tree/run-wish.ts'
import { type ExitAction, lastEnded, putBackWords } from '../../tree/side-fork.ts'
import { act } from './act.ts'
import type { Chat } from './chat.ts'
import type { ChatCommand } from './chat-commands.ts'
import { openFork } from './open-fork.ts'

const shownRuns = 20

/** Commands for forks that come back, and for what they send and ask. */
export const forkCommands: readonly ChatCommand[] = [
  {
    name: 'fork',
    usage: '/fork [topic]',
    summary: 'open a side conversation; a topic is its first message',
    run: fork,
  },
  ending('save', 'save', 'end it: it becomes the main conversation'),
  ending('report', 'report', 'end it: the main conversation is told a summary'),
  ending('exit', 'discard', 'end it: nothing returns (/quit leaves the chat)'),
  {
    name: 'put-back',
    usage: '/put-back [id]',
    summary: 'put the files back that the fork which ended last has changed, or that fork',
    run: putBack,
  },
  {
    name: 'run',
    usage: '/run [--files worktree] <text>',
    summary: 'let that run in the background, perhaps in a worktree',
    run,
  },
  { name: 'runs', usage: '/runs', summary: 'forks of this conversation, and how they went', run: runs },
  { name: 'updates', usage: '/updates', summary: 'what forks reported and is not told yet', run: updates },
  {
    name: 'reply',
    usage: '/reply <id> <text>',
    summary: 'reply to a message of a fork, and go on with that fork',
    run: reply,
  },
  {
    name: 'click',
    usage: '/click [id] <n>',
    summary: 'click a button of that message, or of the newest',
    run: click,
  },
  {
    name: 'approve',
    usage: '/approve <id> [session|always|every]',
    summary: 'allow what a background run asks for',
    run: (chat, id) => answer(chat, 'approve', id),
  },
  {
    name: 'deny',
    usage: '/deny <id>',
    summary: 'deny it',
    run: (chat, id) => answer(chat, 'deny', id),
  },
]

async function fork(chat: Chat, topic: string): Promise<undefined> {
  await act(chat, { kind: 'fork', ...(topic !== '' && { topic }) })
}

function ending(name: string, action: ExitAction, summary: string): ChatCommand {
  const run = async (chat: Chat, files: string): Promise<undefined> => {
    if (files !== '' && !/^(--files )?(keep|put-back)$/.test(files)) {
      chat.context.out.line(`/${name} takes nothing, or --files keep or put-back.`)
      return
    }
    const forkID = await openFork(chat)
    await act(chat, { kind: 'exit', action, forkID })
    if (files.endsWith('put-back')) await putBack(chat, forkID)
  }
  return { name, usage: `/${name} [--files put-back]`, summary, run }
}

async function putBack({ context: { out }, bough, place }: Chat, typed: string): Promise<undefined> {
  const ended = await bough.sideForks({ channelID: place.channel.id, state: 'ended', limit: shownRuns })
  const id = typed === '' ? lastEnded(ended)?.sessionID : (await bough.findSession(typed)).id
  out.line(id ? putBackWords(await bough.putBack(id)) : 'No fork has ended here yet.')
}

async function run({ context: { out }, bough, place }: Chat, text: string): Promise<undefined> {
  const { prompt, ...wish } = runWish(text)
  if (prompt === '') {
    out.line('Say what should run: /run <text>.')
    return
  }
  const { sessionID } = await bough.runBackground(place.channel.id, prompt, wish)
  out.line(`Background run ${shortID(sessionID)} has begun. /runs shows how it goes.`)
}

async function runs({ context: { out }, bough, place }: Chat): Promise<undefined> {
  const { columns, paint } = out
  const forks = await bough.sideForks({ channelID: place.channel.id, limit: shownRuns })
  if (forks.length === 0) out.line('No forks yet. /fork opens one, /run starts one in the background.')
  else for (const line of drawForks(forks, { now: Date.now(), columns, paint })) out.line(line)
}

async function updates({ context: { out }, bough, place }: Chat): Promise<undefined> {
  const waiting = await bough.updates(place.channel.id)
  if (waiting.length === 0) out.line('No fork has reported anything that is not told yet.')
  else for (const line of drawUpdates(waiting, { now: Date.now(), paint: out.paint })) out.line(line)
}

async function reply(chat: Chat, argument: string): Promise<undefined> {
  const [, id = '', text = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? []
  if (text === '') {
    chat.context.out.line('Name the message and say something: /reply <id> <text>.')
    return
  }
  const message = chat.received.find(id)
  await act(chat, { kind: 'message', text, replyTo: { externalID: message.id, text: message.text } })
}

async function click(chat: Chat, argument: string): Promise<undefined> {
  const [first = '', second, ...more] = argument.split(/\s+/)
  if (first === '' || more.length > 0) {
    chat.context.out.line('Name the button by its number: /click <n>, or /click <id> <n>.')
    return
  }
  const inquiryID =
    second === undefined ? chat.received.button(first, null) : chat.received.button(second, first)
  await act(chat, { kind: 'click', inquiryID })
}

async function answer(
  { context: { out }, bough }: Chat,
  name: 'approve' | 'deny',
  typed: string,
): Promise<undefined> {
  if (typed === '') {
    out.line(`Name what to answer: /${name} <id>.`)
    return
  }
  const [id = '', named, ...more] = typed.split(/\s+/)
  const scope = approvalScopes.find((each) => each !== 'call' && scopeNames[each] === named)
  if (more.length > 0 || (named !== undefined && (!scope || name === 'deny'))) {
    out.line('Answer with /approve <id>, /approve <id> session, always or every, or /deny <id>.')
    return
  }
  const asked = await bough.findPermission(id)
  out.line(answerWords(await bough.answer(asked.id, { allow: name === 'approve', scope: scope ?? 'call' })))
}
