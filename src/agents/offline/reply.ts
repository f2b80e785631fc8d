import { summaryWanted } from '../../tree/prompts.ts'
import type { Instruction } from './instructions.ts'
import { phrase, quote } from './quote.ts'

/** What became of one instruction. */
export interface Deed {
  readonly what: string
  /** How it went wrong; null when it did not. */
  readonly failure: string | null
}

export interface Said {
  readonly turn: number
  readonly deeds: readonly Deed[]
  /** What bough said before the prompt. */
  readonly told: readonly string[]
  readonly remarks: readonly string[]
  readonly toldBefore: readonly string[]
}

const aboutItself = "I am bough's offline agent: no model, just plain instructions and a memory."

const mostRecalled = 5

/** The whole answer of a turn. */
export function composeReply({ turn, deeds, told, remarks, toldBefore }: Said): string {
  if (told.includes(summaryWanted)) return summaryOf(toldBefore)
  const sections: string[] = []
  if (turn === 1) sections.push(aboutItself)
  if (told.length > 0) sections.push(['bough tells me:', ...told.map((line) => `> ${line}`)].join('\n'))
  if (deeds.length > 0) sections.push(account(deeds))
  if (remarks.length > 0 || deeds.length === 0) sections.push(recollection(turn, remarks, toldBefore))
  return sections.join('\n\n')
}

// It cannot sum anything up, but it can say what was said.
const summaryOf = (toldBefore: readonly string[]): string =>
  toldBefore.length === 0
    ? 'Nothing was said that I could report.'
    : `I am no model and cannot sum up. What you told me last: ${toldBefore.slice(-3).map(quote).join(', ')}.`

/** An instruction in the few words that an account needs. */
export function nameOf(instruction: Exclude<Instruction, { kind: 'fail' }>): string {
  switch (instruction.kind) {
    case 'write':
    case 'append':
    case 'read':
    case 'delete':
      return phrase(`${instruction.kind} ${instruction.file}`)
    case 'run':
      return `run ${quote(instruction.command)}`
    case 'tool':
      return phrase(`tool ${instruction.name}`)
    case 'sleep':
      return `sleep ${instruction.seconds}`
    case 'words':
      return `words ${instruction.count}`
    case 'malformed':
      return quote(instruction.line)
  }
}

function account(deeds: readonly Deed[]): string {
  const done = deeds.filter((deed) => deed.failure === null).length
  const lines = deeds.map(({ what, failure }) => `- ${what}: ${failure === null ? 'done' : phrase(failure)}`)
  return [`Instructions done: ${done} of ${deeds.length}.`, ...lines].join('\n')
}

function recollection(turn: number, remarks: readonly string[], toldBefore: readonly string[]): string {
  const now = remarks.length === 0 ? 'nothing' : quote(remarks.join(' '))
  const lines = [`This is turn ${turn} on this line. You just told me: ${now}.`]
  if (toldBefore.length === 0) return [...lines, 'You told me nothing before.'].join(' ')

  const recalled = toldBefore.slice(-mostRecalled)
  const earlier = toldBefore.length - recalled.length
  lines.push(`Before that you told me, oldest first${earlier > 0 ? ` (and ${earlier} earlier)` : ''}:`)
  for (const [i, prompt] of recalled.entries()) lines.push(`${earlier + i + 1}. ${quote(prompt)}`)
  return lines.join('\n')
}
