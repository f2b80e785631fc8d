import type { MessageID } from '../tree/ids.ts'
import { callsOf, type Message, promptOf, resultsOf, textOf } from '../tree/message.ts'
import type { NativeMessage } from '../tree/native.ts'
import { wishIn } from '../tree/prompts.ts'

export interface Aligned {
  /** Which messages of the tree stand for which entries after all. */
  readonly bindings: readonly { readonly id: MessageID; readonly nativeID: string }[]
  /** What the tree does not have. */
  readonly rest: readonly NativeMessage[]
}

/**
 * Finds what both the tree and the agent's own history have after the last entry that both know, each in its own words:
 * turns that were cut off before anybody could say which entries stand for them. Turns are told by their prompts; an
 * agent may have got several prompts as one. Of such a turn only what the tree lacks is new.
 */
export function alignCutOff(tail: readonly Message[], history: readonly NativeMessage[]): Aligned {
  const [[ours, ...ourTurns], [theirs, ...theirTurns]] = [inTurns(tail), inTurns(history)]
  const same: { readonly ours: readonly Message[]; readonly theirs: readonly NativeMessage[] }[] = []
  // What comes before the first prompt goes on with the turn that both know.
  if (ours && theirs) same.push({ ours, theirs })
  let next = 0
  let seen = 0
  for (const turn of theirTurns) {
    const count = promptsIn(turn, ourTurns.slice(next))
    const last = ourTurns[next + count - 1]
    if (count === 0 || !last) break
    same.push({ ours: last, theirs: turn })
    next += count
    seen++
  }
  const alike = same.map((each) => ({ ...each, lacking: lackingIn(each.ours, each.theirs) }))
  return {
    bindings: alike.flatMap(({ ours, theirs, lacking }) => bindingsOf(ours, theirs, lacking)),
    rest: [...alike.flatMap(({ lacking }) => lacking), ...theirTurns.slice(seen).flat()],
  }
}

/** Whether a history goes on with the same prompt as the tree does there. */
export function goesOnAlike(tail: readonly Message[], history: readonly NativeMessage[]): boolean {
  const [[, ...ourTurns], [, turn]] = [inTurns(tail), inTurns(history)]
  return turn === undefined ? ourTurns.length === 0 : promptsIn(turn, ourTurns) > 0
}

/** Messages, cut before every prompt; what comes before the first is the first piece. */
function inTurns<T extends Pick<NativeMessage, 'role'>>(messages: readonly T[]): readonly (readonly T[])[] {
  const turns: T[][] = [[]]
  for (const message of messages) {
    if (message.role === 'user') turns.push([message])
    else turns.at(-1)?.push(message)
  }
  return turns
}

/** How many of these turns' prompts, from the first, a turn's own is made of; 0 for none. */
function promptsIn([prompt]: readonly NativeMessage[], turns: readonly (readonly Message[])[]): number {
  const text = prompt ? promptOf(prompt.parts).trim() : ''
  // Prompts that are said again are said without what bough had put before them.
  let again = ''
  for (const [i, [ours]] of turns.entries()) {
    if (`${again}${promptOf(ours?.parts ?? [])}`.trim() === text) return i + 1
    const wish = wishIn(ours?.parts ?? [])
    if (wish !== '') again += `${wish}\n`
    if (again.length > text.length + 1) return 0
  }
  return 0
}

/** Answers whose calls, results or words a turn of ours does not have. */
function lackingIn(ours: readonly Message[], theirs: readonly NativeMessage[]): readonly NativeMessage[] {
  const calls = new Set(ours.flatMap(({ parts }) => callsOf(parts).map(({ callID }) => callID)))
  const results = new Set(ours.flatMap(({ parts }) => resultsOf(parts).map(({ callID }) => callID)))
  const texts = ours.filter(({ role }) => role === 'assistant').map(({ text }) => text)
  return theirs.filter(({ role, parts }) => {
    const [called, answered] = [callsOf(parts), resultsOf(parts)]
    if (answered.length > 0) return answered.some(({ callID }) => !results.has(callID))
    if (called.length > 0) return called.some(({ callID }) => !calls.has(callID))
    if (role === 'assistant') return !texts.some((text) => text.startsWith(textOf(parts)))
    // Why it ended the tree says itself.
    return role === 'summary'
  })
}

function bindingsOf(
  ours: readonly Message[],
  theirs: readonly NativeMessage[],
  lacking: readonly NativeMessage[],
): Aligned['bindings'] {
  const [ourPrompt, prompt] = [ours[0], theirs[0]]
  const bindings: { id: MessageID; nativeID: string }[] = []
  if (ourPrompt?.role === 'user' && prompt?.role === 'user' && prompt.nativeID)
    bindings.push({ id: ourPrompt.id, nativeID: prompt.nativeID })
  // Where something is added, that has the last entry itself.
  const last = theirs.findLast(({ nativeID }) => nativeID)
  const ourLast = ours.at(-1)
  if (
    lacking.length > 0 ||
    !last?.nativeID ||
    !ourLast ||
    bindings.some((each) => each.nativeID === last.nativeID)
  )
    return bindings
  return [...bindings.filter(({ id }) => id !== ourLast.id), { id: ourLast.id, nativeID: last.nativeID }]
}
