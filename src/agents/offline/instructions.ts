import type { Json } from '../../tree/message.ts'

export type FileStep =
  | { readonly kind: 'write' | 'append'; readonly file: string; readonly text: string }
  | { readonly kind: 'read' | 'delete'; readonly file: string }

export interface ToolStep {
  readonly kind: 'tool'
  readonly name: string
  readonly args: Json
}

/** An instruction that is carried out as a tool call. */
export type Step = FileStep | { readonly kind: 'run'; readonly command: string } | ToolStep

export type Instruction =
  | Step
  | { readonly kind: 'sleep'; readonly seconds: number }
  | { readonly kind: 'words'; readonly count: number }
  | { readonly kind: 'fail'; readonly message: string }
  /** Begins like an instruction, but cannot be followed; `problem` says what it should look like. */
  | { readonly kind: 'malformed'; readonly line: string; readonly problem: string }

export interface Parsed {
  readonly instructions: readonly Instruction[]
  /** The lines that are no instruction. */
  readonly remarks: readonly string[]
}

const mostSeconds = 86_400
const mostWords = 1_000_000

/** A prompt, line by line. Instruction words are lower-case, so that a sentence may begin with "Write". */
export function parsePrompt(prompt: string): Parsed {
  const instructions: Instruction[] = []
  const remarks: string[] = []
  for (const line of prompt.split(/\r?\n/).map((text) => text.trimStart())) {
    const instruction = parseLine(line)
    if (instruction !== null) instructions.push(instruction)
    else if (line !== '') remarks.push(line.trimEnd())
  }
  return { instructions, remarks }
}

function parseLine(line: string): Instruction | null {
  const [, word = '', rest = ''] = /^([a-z]+)(?:\s+(.*))?$/s.exec(line) ?? []
  const malformed = (problem: string): Instruction => ({ kind: 'malformed', line: line.trimEnd(), problem })

  switch (word) {
    case 'write':
    case 'append': {
      const parts = splitAtColon(rest)
      return parts === null ? malformed(`it should be "${word} FILE: TEXT"`) : { kind: word, ...parts }
    }
    case 'read':
    case 'delete': {
      const file = rest.trimEnd()
      return file === '' ? malformed(`it should be "${word} FILE"`) : { kind: word, file }
    }
    case 'run':
      return rest.trimEnd() === '' ? malformed('it should be "run COMMAND"') : { kind: 'run', command: rest }
    case 'fail':
      return rest.trimEnd() === ''
        ? malformed('it should be "fail MESSAGE"')
        : { kind: 'fail', message: rest.trimEnd() }
    case 'sleep': {
      const seconds = /^\d+(\.\d+)?\s*$/.test(rest) ? Number(rest) : Number.NaN
      return seconds <= mostSeconds
        ? { kind: 'sleep', seconds }
        : malformed(`it should be "sleep SECONDS", with a number from 0 to ${mostSeconds}`)
    }
    case 'words': {
      const count = /^\d+\s*$/.test(rest) ? Number(rest) : 0
      return count >= 1 && count <= mostWords
        ? { kind: 'words', count }
        : malformed(`it should be "words N", with a whole number from 1 to ${mostWords}`)
    }
    case 'tool':
      return parseTool(rest) ?? malformed('it should be "tool NAME {json}", with one JSON object on the line')
    default:
      return null
  }
}

// A file name may hold a colon: the text begins after the first one that a space follows, or is empty.
function splitAtColon(rest: string): { file: string; text: string } | null {
  const [, name = '', text = ''] = /^(.*?): (.*)$/s.exec(rest) ?? /^(.*):$/s.exec(rest) ?? []
  const file = name.trimEnd()
  return file === '' ? null : { file, text }
}

function parseTool(rest: string): Instruction | null {
  const [, name, json = ''] = /^([^\s{]+)\s*(.*)$/s.exec(rest) ?? []
  if (name === undefined) return null
  if (json.trimEnd() === '') return { kind: 'tool', name, args: {} }
  if (!json.startsWith('{')) return null
  try {
    const args: Json = JSON.parse(json)
    return { kind: 'tool', name, args }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
