import { cutOffWords } from '../../tree/cut-off-words.ts'
import type { CardEntry, Entry, MessageEntry } from '../transcript/entry.ts'

/** Whether a card is what the agent said, and which messages tell that: the last of them, and how many. */
interface Verdict {
  readonly isSaid: boolean
  readonly last: MessageEntry['key'] | null
  readonly first: MessageEntry['key'] | null
  readonly count: number
}

type Verdicts = WeakMap<CardEntry, Verdict>

/** Entries with what was sent to the channel between them; what would come out the same is not made again. */
export function rememberedWithCards(): (
  entries: readonly Entry[],
  cards: readonly CardEntry[],
  hasOlder: boolean,
) => readonly Entry[] {
  const verdicts: Verdicts = new WeakMap()
  let last: { readonly told: readonly unknown[]; readonly made: readonly Entry[] } | null = null
  return (...told) => {
    if (last?.told.every((each, i) => each === told[i])) return last.made
    last = { told, made: withCards(...told, verdicts) }
    return last.made
  }
}

/**
 * Entries with what was sent to the channel between them, each where it came. Where older messages are not loaded, what was
 * sent before them is not shown either. What the agent said in a turn of another process is sent, too, and stands in the tree:
 * it is shown once.
 */
export function withCards(
  entries: readonly Entry[],
  cards: readonly CardEntry[],
  hasOlder: boolean,
  verdicts: Verdicts = new WeakMap(),
): readonly Entry[] {
  if (cards.length === 0) return entries
  const messages = entries.filter((entry) => entry.kind === 'message')
  const left = cards
    .filter((card) => !isSaid(messages, card, verdicts))
    .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.key < b.key ? -1 : 1))
  const merged: Entry[] = []
  let isBeginning = hasOlder
  let next = 0
  for (const entry of entries) {
    if (entry.kind === 'message') {
      const time = timeOf(entry.key)
      for (let card = left[next]; card && card.at < time; card = left[next]) {
        next += 1
        if (!isBeginning) merged.push(card)
      }
      isBeginning = false
    }
    merged.push(entry)
  }
  return [...merged, ...left.slice(next)]
}

/** The part of an id that says when it was made. */
export const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1)

// Asked again with every message: as long as the messages before it are the same, so is the answer.
function isSaid(messages: readonly MessageEntry[], card: CardEntry, verdicts: Verdicts): boolean {
  if (card.what.kind === 'notice') return isToldByTree(messages, card, card.what.text)
  if (card.what.kind !== 'message') return false
  const end = countUntil(messages, timeOf(card.key))
  const known = verdicts.get(card)
  const keyAt = (index: number): MessageEntry['key'] | null => messages[index]?.key ?? null
  if (known && known.last === keyAt(end - 1) && known.first === keyAt(end - known.count)) return known.isSaid
  const told = saidBefore(messages, end, card.what.text)
  verdicts.set(card, { ...told, last: keyAt(end - 1), first: keyAt(end - told.count) })
  return told.isSaid
}

// A turn that was cut off says so where it ends; whoever sees that needs no card.
function isToldByTree(messages: readonly MessageEntry[], card: CardEntry, text: string): boolean {
  for (let i = countUntil(messages, timeOf(card.key)) - 1; i >= 0; i--) {
    const message = messages[i]?.message
    if (message?.role === 'user')
      return message.sessionID === card.sessionID && text === cutOffWords(message.text)
  }
  return false
}

// Whether a text is what the agent said in the turn before it was sent; read from its end, as far as that decides it.
function saidBefore(
  messages: readonly MessageEntry[],
  end: number,
  text: string,
): Pick<Verdict, 'isSaid' | 'count'> {
  let left = text
  let isWhole = true
  let count = 0
  for (let i = end - 1; i >= 0; i--) {
    const message = messages[i]?.message
    count += 1
    if (message?.role === 'user') return { isSaid: left === '', count }
    if (message?.role !== 'assistant' || message.text.trim() === '') continue
    const words = isWhole ? message.text : `${message.text}\n\n`
    if (!left.endsWith(words)) return { isSaid: false, count }
    left = left.slice(0, left.length - words.length)
    isWhole = false
  }
  // What may be loaded before the first one counts, too.
  return { isSaid: left === '', count: count + 1 }
}

/** How many messages were made until then; they are in the order of time. */
function countUntil(messages: readonly MessageEntry[], time: string): number {
  let [low, high] = [0, messages.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeOf(messages[middle]?.key ?? '') <= time) low = middle + 1
    else high = middle
  }
  return low
}
