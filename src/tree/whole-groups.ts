import { BoughError } from './error.ts'
import { callsOf, type NewMessage, resultsOf, type ToolCallPart } from './message.ts'
import { openCallsAfter } from './tool-group.ts'

type Told = Pick<NewMessage, 'role' | 'status' | 'parts' | 'created' | 'usage' | 'isCountedElsewhere'>

/**
 * Messages that somebody else wrote, with every tool call answered: one that has no result gets one that says so, as a
 * turn that is cut off would have given it. Calls and results of a kind that no turn makes are refused.
 */
export function withWholeGroups(messages: readonly Told[]): readonly Told[] {
  const called = new Set<string>()
  for (const [i, message] of messages.entries()) {
    const isInGroup = isOfGroup(message)
    for (const { callID } of callsOf(message.parts)) {
      if (!isInGroup) throw refused(i, message, 'calls a tool, which only an assistant does')
      called.add(callID)
    }
    for (const { callID } of resultsOf(message.parts)) {
      if (message.role !== 'tool')
        throw refused(i, message, "has a tool's result, which only tool messages have")
      if (!called.has(callID))
        throw refused(i, message, `has a result of the call "${callID}", which nobody made before`)
    }
  }
  return withAnswers(messages)
}

/** The same, without looking closer: each call that has no result gets one that says so. */
export function withAnswers<T extends Told>(messages: readonly T[]): readonly (T | Told)[] {
  const whole: (T | Told)[] = []
  let open: readonly ToolCallPart[] = []
  for (const message of messages) {
    if (!isOfGroup(message) && open.length > 0) {
      whole.push(unanswered(open, message.created))
      open = []
    }
    open = openCallsAfter(open, message.parts)
    whole.push(message)
  }
  const last = messages.at(-1)
  if (last && open.length > 0) whole.push(unanswered(open, last.created))
  return whole
}

const isOfGroup = ({ role }: Told): boolean => role === 'assistant' || role === 'tool'

const unanswered = (calls: readonly ToolCallPart[], created: number): Told => ({
  role: 'tool',
  status: 'interrupted',
  parts: calls.map(({ callID, name }) => ({
    type: 'tool-result',
    callID,
    name,
    output: 'No result of this call is known.',
    exitCode: 1,
  })),
  created,
  usage: null,
})

const refused = (index: number, { role }: Told, complaint: string): BoughError =>
  new BoughError(
    'document_invalid',
    `Message ${index + 1} of the document (${role}) ${complaint}. Correct it there, or export the session again.`,
  )
