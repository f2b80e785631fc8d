import { nonceOf } from '../../../src/discord/nonce.ts'
import { split } from '../../../src/discord/stream/split.ts'
import { withoutMark } from '../../../src/discord/stream/unfinished.ts'
import { deedOf } from '../../../src/discord/views/button-id.ts'
import { withoutRunMark } from '../../../src/discord/views/run-mark.ts'
import type { Store } from '../../../src/store/store.ts'
import type { ChannelID } from '../../../src/tree/ids.ts'
import type { Message as TreeMessage } from '../../../src/tree/message.ts'
import { wordsOf } from './bot-ground.ts'
import type { Owner } from './owner.ts'

// What must hold when nothing goes on any more, whoever was killed: read from the store and from the screen.

export async function wrongWith(
  store: Store,
  channelID: ChannelID,
  owner: Owner,
): Promise<readonly string[]> {
  const messages: TreeMessage[] = []
  for (const { id, messages: to } of await store.sessions.all())
    messages.push(...(await store.messages.range({ sessionID: id, from: 1, to: Math.max(to, 1) })))
  return [
    ...notOnce(messages, owner),
    ...(await misshown(store, messages, owner)),
    ...(await bannersOf(store, channelID, owner)),
    ...leftovers(owner),
  ]
}

/** Each message of the owner is one prompt in the tree, and they are in their order. */
function notOnce(messages: readonly TreeMessage[], { written }: Owner): string[] {
  const prompts = messages
    .filter(({ role, text }) => role === 'user' && written.includes(text))
    .toSorted(byTime)
    .map(({ text }) => text)
  return written.join('\n') === prompts.join('\n')
    ? []
    : [`Written: ${JSON.stringify(written)}, in the tree: ${JSON.stringify(prompts)}`]
}

/**
 * What an agent said to its end is on the screen once, in the order of what was asked; what was cut off goes as far as the tree
 * knows, and the owner was told.
 */
async function misshown(store: Store, messages: readonly TreeMessage[], owner: Owner): Promise<string[]> {
  const wrong: string[] = []
  const screen = owner.sees.map(wordsOf)
  const explained = new Set<string>()
  let last = -1
  const cutOff = new Set<string | undefined>()
  for (const prompt of await shownPrompts(store, messages)) {
    const { text } = prompt
    const turn = await store.turns.ofPrompt(prompt.id)
    const pieces = split(answerTo(prompt, messages))
    const ids = turn ? await store.links.showing(turn.id) : []
    const shown = owner.sees
      .filter(({ id }) => ids.includes(id))
      .map((message) => wordsOf(message).replace(filesNotice, ''))
    for (const id of ids) explained.add(id)
    const isFinished = turn?.outcome === 'finished'
    if ((isFinished || shown.length > 0) && shown.join('\n') !== (pieces.join('\n') || lostWords))
      wrong.push(`“${text}” (${turn?.outcome}) is answered with ${JSON.stringify({ shown, pieces })}`)
    if (!isFinished && !screen.some((words) => tellsOf(text).test(words)))
      wrong.push(`“${text}” was cut off, and nobody was told`)
    if (turn && !isFinished) for (let i = 0; i < 10; i++) cutOff.add(nonceOf(turn.id, i))
    const place = owner.sees.findIndex(({ id }) => ids.includes(id))
    if (place !== -1 && place < last) wrong.push(`“${text}” is answered before what was asked before it`)
    last = Math.max(place, last)
  }
  return [...wrong, ...unexplained(owner, explained, cutOff)]
}

// Under a reply the owner is told of sessions that work in the same directory; the tree does not keep that.
const filesNotice = /(\n+-# “.*” (is at work in this directory, too|has changed files here since .*)\.)+$/

const lostWords = '-# What was said here is lost: it was cut off.'

/** All that was asked where the owner sees the answer, in its order. */
async function shownPrompts(store: Store, messages: readonly TreeMessage[]): Promise<TreeMessage[]> {
  const runs = (await store.sideForks.list()).filter(({ kind }) => kind === 'background')
  const beside = new Set(runs.map(({ sessionID }) => sessionID))
  return messages.filter(({ role, sessionID }) => role === 'user' && !beside.has(sessionID)).toSorted(byTime)
}

const byTime = (a: TreeMessage, b: TreeMessage): number => a.created - b.created || (a.id < b.id ? -1 : 1)

/**
 * Beside the answers there are cards, words of runs, each once, and words of bough’s own. The rest are beginnings of what was cut
 * off in the moment when they were sent: nobody could note whose they are.
 */
function unexplained(
  owner: Owner,
  explained: ReadonlySet<string>,
  cutOff: ReadonlySet<string | undefined>,
): string[] {
  const others = owner.sees.filter(({ id }) => !explained.has(id))
  const ofRuns = Map.groupBy(
    others.map((each) => withoutRunMark(wordsOf(each))).filter((words) => /^(ping|Card)/.test(words)),
    (words) => words,
  )
  const twice = [...ofRuns.values()].filter(({ length }) => length > 1)
  const isExplained = ({ content }: (typeof others)[number]): boolean =>
    /^(ping|-# )/.test(withoutRunMark(content) || content)
  const rest = others.filter((message) => message.embeds.length === 0 && !isExplained(message))
  return [
    ...twice.map(([words]) => `Twice: ${words}`),
    ...rest
      .filter((message) => !cutOff.has(owner.nonceOf(message)))
      .map(({ content }) => `Alone: ${content}`),
  ]
}

function answerTo(prompt: TreeMessage, messages: readonly TreeMessage[]): string {
  const after = messages.filter(({ sessionID, seq }) => sessionID === prompt.sessionID && seq > prompt.seq)
  const next = after.findIndex(({ role }) => role === 'user')
  return (next === -1 ? after : after.slice(0, next))
    .filter(({ role, text }) => role === 'assistant' && text.trim() !== '')
    .map(({ text }) => text)
    .join('\n\n')
}

/** How the owner is told that this was cut off; it has a number by which it is told from all others. */
function tellsOf(text: string): RegExp {
  const [known] = /\b(?!words)[a-z]+ \d+(?=$|\n)/.exec(text) ?? []
  return known === undefined ? /^-# A turn was cut off/ : new RegExp(`“.*\\b${known}(?!\\d).*” was cut off`)
}

/** One banner for each fork; with buttons, the one that is open, and no other. */
async function bannersOf(store: Store, channelID: ChannelID, owner: Owner): Promise<string[]> {
  const wrong: string[] = []
  const forks = (await store.sideForks.list({ channelID })).filter(({ kind }) => kind === 'interactive')
  const open = forks.filter(({ state }) => state === 'open').map(({ sessionID }) => sessionID)
  const titles = owner.sees.map((message) => wordsOf(message).split('\n')[0])
  const entered = titles.filter((title) => title === 'Forked session').length
  const ended = titles.filter((title) => title === 'Fork ended').length
  if (entered !== forks.length) wrong.push(`${forks.length} forks have ${entered} banners`)
  if (ended !== forks.length - open.length)
    wrong.push(`${forks.length - open.length} forks have ended, and ${ended} banners say so`)
  const live = owner.buttons.flatMap(({ id }) => {
    const deed = deedOf(id)
    return deed?.kind === 'exit' && deed.action === 'save' ? [deed.forkID] : []
  })
  if (live.join() !== open.join()) wrong.push(`Open are ${open}; there are buttons for ${live}`)
  return wrong
}

/** Signs that something goes on. */
function leftovers(owner: Owner): string[] {
  const wrong: string[] = []
  for (const words of owner.sees.map(wordsOf))
    if (withoutMark(words) !== null) wrong.push(`Unfinished: ${words}`)
  for (const { message, id } of owner.buttons)
    if (deedOf(id)?.kind === 'answer') wrong.push(`Can be answered: ${wordsOf(message)}`)
  for (const { content } of owner.marked) wrong.push(`Waits: ${content}`)
  return wrong
}
