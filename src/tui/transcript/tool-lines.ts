import { wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { argumentsOf, callWords, resultWords, toldArgument } from '../../tree/drawn/tool-words.ts'
import type { Json, ToolCallPart, ToolResultPart } from '../../tree/message.ts'
import { plainLine, plainText } from '../../tree/plain-text.ts'
import { cut, ends, widthOf } from '../screen/frame.ts'
import type { Paint, Theme, Tone } from '../screen/theme.ts'
import { diffTones, editLines, isDiff } from './diff-lines.ts'

export interface ToolLook {
  readonly columns: number
  readonly theme: Theme
  readonly isOpened: boolean
}

/** So much of what a tool was given, and of what it gave, is shown: its beginning and its end. */
const mostArguments: Bound = { first: 40, last: 0 }
const mostOutput: Bound = { first: 120, last: 80 }

interface Bound {
  readonly first: number
  readonly last: number
}

/** So much of one line is shown. */
const widest = 2000

/** A call as one line; opened, with what the tool was given below it. */
export function callLines(
  call: ToolCallPart,
  result: ToolResultPart | undefined,
  { columns, theme: { paint }, isOpened }: ToolLook,
): readonly string[] {
  const { text, isBad } = resultWords(result)
  const words = cut(callWords(call), columns - 6 - widthOf(text))
  const line = ends(
    `${paint('tool', isOpened ? '▾' : '▸')} ${words}`,
    paint(isBad ? 'bad' : 'dim', ` ${text} `),
    columns - 2,
  )
  const given = isOpened ? givenLines(call.args, paint) : []
  return [`  ${line}`, ...indented(given, columns, paint('dim', '│'))]
}

/** What a tool gave; diffs are coloured wherever they come from. */
export function outputLines(
  { output, exitCode }: ToolResultPart,
  { columns, theme: { paint } }: ToolLook,
): readonly string[] {
  const isPatch = isDiff(output.slice(0, 20_000))
  const lines = bounded(output, mostOutput)
  const painted = isPatch ? paintedDiff(lines, paint) : lines.map((line) => paint('dim', line))
  const shown = lines.length === 0 ? [paint('dim', '(nothing was printed)')] : painted
  return indented(shown, columns, paint(exitCode === 0 ? 'dim' : 'bad', '│'))
}

function givenLines(args: Json, paint: Paint): readonly string[] {
  const told = toldArgument(args)
  const { names, lines } = changesIn(args)
  const others = argumentsOf(args).filter(
    ([name, value]) => !names.includes(name) && !(name === told && isOneLine(value)),
  )
  const changes = paintedDiff(atMost(lines, mostArguments).map(shown), paint)
  return [...others.flatMap(([name, value]) => argumentLines(name, value, paint)), ...changes]
}

function argumentLines(name: string, value: Json, paint: Paint): readonly string[] {
  const label = paint('dim', `${plainLine(name)}:`)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (isOneLine(text)) return [`${label} ${shown(text)}`]
  const lines = bounded(text, mostArguments)
  return [label, ...(isDiff(text) ? paintedDiff(lines, paint, 'plain') : lines)]
}

function paintedDiff(lines: readonly string[], paint: Paint, other?: Tone): readonly string[] {
  const tones = diffTones(lines, other)
  return lines.map((line, i) => paint(tones[i] ?? 'plain', line))
}

interface Changes {
  /** The arguments that tell them. */
  readonly names: readonly string[]
  readonly lines: readonly string[]
}

const files: readonly (string | null)[] = ['file_path', 'file', 'path']

// What an agent changes in files, in the ways that they tell it: a text for another, several of them, patches, a new file.
function changesIn(args: Json): Changes {
  const {
    old_string: before,
    new_string: after,
    edits,
    changes,
    content,
  } = Object.fromEntries(argumentsOf(args))
  if (typeof before === 'string' && typeof after === 'string')
    return { names: ['old_string', 'new_string'], lines: editLines(before, after) }
  if (Array.isArray(edits)) return { names: ['edits'], lines: edits.flatMap((edit) => changesIn(edit).lines) }
  if (Array.isArray(changes)) return { names: ['changes'], lines: changes.flatMap(fileChangeLines) }
  if (typeof content === 'string' && files.includes(toldArgument(args)))
    return { names: ['content'], lines: editLines('', content) }
  return { names: [], lines: [] }
}

function fileChangeLines(change: Json): readonly string[] {
  const { path, kind, movedTo, diff } = Object.fromEntries(argumentsOf(change))
  const words = [kind, path, ...(movedTo ? ['→', movedTo] : [])].filter((word) => typeof word === 'string')
  const text = typeof diff === 'string' ? diff : ''
  return [`*** ${words.join(' ')}`, ...patchLines(kind, text)]
}

// Of a file that is new, or gone, Codex tells only what is in it.
function patchLines(kind: Json | undefined, text: string): readonly string[] {
  if (isDiff(text)) return text.trimEnd().split('\n')
  return kind === 'delete' ? editLines(text, '') : editLines('', text)
}

const isOneLine = (value: Json): boolean => typeof value === 'string' && !value.trimEnd().includes('\n')

const shown = (line: string): string => plainText(line.slice(0, widest)).replaceAll('\t', '    ').trimEnd()

/** The first and the last lines of a text of any length, with a line that says how much is left out. */
function bounded(text: string, { first, last }: Bound): readonly string[] {
  const whole = text.trimEnd()
  if (whole === '') return []
  const starts = [0]
  for (let at = whole.indexOf('\n'); at !== -1; at = whole.indexOf('\n', at + 1)) starts.push(at + 1)
  const line = (i: number): string => shown(whole.slice(starts[i], (starts[i + 1] ?? whole.length + 1) - 1))
  const numbers = [...starts.keys()]
  if (starts.length <= first + last) return numbers.map(line)
  const rest = starts.length - first - last
  return [
    ...numbers.slice(0, first).map(line),
    `… ${rest.toLocaleString('en')} more lines`,
    ...numbers.slice(starts.length - last).map(line),
  ]
}

const atMost = (lines: readonly string[], { first }: Bound): readonly string[] =>
  lines.length <= first
    ? lines
    : [...lines.slice(0, first), `… ${(lines.length - first).toLocaleString('en')} more lines`]

const indented = (lines: readonly string[], columns: number, edge: string): readonly string[] =>
  lines
    .flatMap((line) => wrapTextWithAnsi(line, Math.max(1, columns - 6)))
    .map((line) => `    ${edge} ${line}`)
