import type { Json, Message, Part, ToolCallPart } from '../../tree/message.ts'

/** One entry of a transcript: who, and what they said or did. */
export interface Entry {
  /** A role, or `tool` with its name. */
  readonly heading: string
  /** What stands before the text: of a tool its arguments and exit code. */
  readonly facts: readonly string[]
  readonly text: string
  /** The text is what a tool gave out: the first to be shortened. */
  readonly isOutput: boolean
}

/**
 * A line as a transcript: what was said and done, in its order. Thoughts are an agent's own, and what bough told the
 * person is not for agents; neither is in it.
 */
export function* entriesOf(messages: Iterable<Message>): Generator<Entry> {
  const calls = new Map<string, ToolCallPart>()
  for (const { role, parts } of messages) {
    const context = wordsOf(parts, 'context')
    if (context !== '') yield said('system', context)
    const text = wordsOf(parts, 'text')
    if (text !== '') yield said(role, text)
    for (const part of parts) {
      if (part.type === 'tool-call') calls.set(part.callID, part)
      if (part.type === 'tool-result') {
        const args = calls.get(part.callID)?.args ?? null
        yield {
          heading: `tool ${part.name}`,
          facts: [`arguments: ${inOneLine(args)}`, `exit code: ${part.exitCode}`],
          text: part.output,
          isOutput: true,
        }
      }
    }
  }
}

const said = (heading: string, text: string): Entry => ({ heading, facts: [], text, isOutput: false })

const wordsOf = (parts: readonly Part[], type: 'text' | 'context'): string =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n')

// Keys in their order, so that the same call reads the same.
const inOneLine = (args: Json): string => JSON.stringify(args)

/** An entry as it stands in a seed. */
export function writeEntry({ heading, facts, text }: Entry): string {
  const body = [...facts, escaped(text)].filter((line) => line !== '').join('\n')
  return `${mark} ${oneLine(heading)} ${mark}\n${body}\n`
}

/** Every line of ours in a seed begins with it. */
export const mark = '==='

/** Lines that could be taken for one of ours get a backslash before them, and one more if they have some. */
export const escaped = (text: string): string => text.replace(/^(?=\\*===)/gm, '\\')

// The name of a tool is somebody else's text too.
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')
