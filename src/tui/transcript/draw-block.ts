import { Markdown, type MarkdownTheme, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { cut } from '../screen/frame.ts'
import type { Paint, Theme } from '../screen/theme.ts'
import type { Block, CodeBlock } from './block.ts'

/** Turns a piece of code into painted lines; null where it knows nothing of the language. */
export type Highlight = (code: string, language: string, paint: Paint) => readonly string[] | null

export interface MarkdownLook {
  readonly columns: number
  readonly theme: Theme
  /** Null until it is loaded. */
  readonly highlight: Highlight | null
}

/** While code is written, all of it is painted again only after so many lines: the last ones by themselves until then. */
const atOnce = 4

/** Draws blocks of Markdown. The code that was painted last is kept: while it grows, only new lines cost anything. */
export function blockDrawer({
  columns,
  theme,
  highlight,
}: MarkdownLook): (block: Block) => readonly string[] {
  const { paint } = theme
  const width = Math.max(1, columns)
  const painted = paintedCode(paint, highlight)
  const library = libraryTheme(paint, (code, language) => painted(code.split('\n'), language))
  const wrapped = rememberedWrap(Math.max(1, width - 2))
  const codeLines = (block: CodeBlock): readonly string[] => {
    const { language, lines, unfinished, isFirst, isLast, isOpen } = block
    // That costs as much again: while it grows it is painted often, and without.
    const before = isOpen ? [] : block.before
    const border = (text: string): readonly string[] => [paint('dim', cut(text, width))]
    const together = isOpen ? lines.length - (lines.length % atOnce) : lines.length
    const code = together === 0 ? [] : painted(lines.slice(0, together), language, before)
    const last = [...lines.slice(together), ...(unfinished === null ? [] : [unfinished])]
    const indented = [wrapped(code), ...last.map((line) => wrapped(painted([line], language)))].flat()
    return [...(isFirst ? border(`\`\`\`${language}`) : []), ...indented, ...(isLast ? border('```') : [])]
  }
  const blockLines = (block: Block): readonly string[] => {
    try {
      return block.kind === 'code'
        ? codeLines(block)
        : new Markdown(block.text, 0, 0, library).render(width).map((line) => line.trimEnd())
    } catch {
      // An agent can write anything: what the libraries cannot draw must not end the program, and again at each start.
      return asWritten(block, width)
    }
  }
  return (block) => (block.hasGap ? ['', ...blockLines(block)] : blockLines(block))
}

const asWritten = (block: Block, width: number): readonly string[] =>
  (block.kind === 'code' ? [...block.lines, block.unfinished ?? ''].join('\n') : block.text)
    .trimEnd()
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(line, width))

/** Lines wrapped and a little in; those that were wrapped before are kept. */
function rememberedWrap(columns: number): (lines: readonly string[]) => readonly string[] {
  const kept = new WeakMap<readonly string[], readonly string[]>()
  return (lines) => {
    const found = kept.get(lines)
    if (found) return found
    const wrapped = lines.flatMap((line) =>
      wrapTextWithAnsi(line, columns).map((each) => (each === '' ? '' : `  ${each}`)),
    )
    kept.set(lines, wrapped)
    return wrapped
  }
}

/** `before` are lines that are not painted, but count: a string or a comment that begins there may go on. */
type PaintCode = (lines: readonly string[], language: string, before?: readonly string[]) => readonly string[]

/** What may begin something of several lines, in one language or another. */
const opener = /`|"""|'''|\/\*|<!--|<<|\[\[|=begin|^\s*[\w-]+:\s*[|>]/

function paintedCode(paint: Paint, highlight: Highlight | null): PaintCode {
  let kept: {
    readonly code: string
    readonly language: string
    readonly above: string
    readonly lines: readonly string[]
  } | null = null
  return (source, language, before = []) => {
    const name = /^[\w+#.-]+/.exec(language)?.[0].toLowerCase() ?? ''
    const code = source.join('\n')
    const isAbove = before.some((line) => opener.test(line))
    const above = isAbove ? `${before.join('\n')}\n` : ''
    if (kept?.code === code && kept.language === name && kept.above === above) return kept.lines
    const plain = (): readonly string[] => source.map((line) => paint('code', line))
    const all = name === '' ? null : highlight?.(above + code, name, paint)
    const lines = all?.slice(isAbove ? before.length : 0) ?? plain()
    // A line that is still written comes with every token: it must not push out what is finished.
    if (source.length > 1) kept = { code, language: name, above, lines }
    return lines
  }
}

const libraryTheme = (
  paint: Paint,
  highlight: (code: string, language: string) => readonly string[],
): MarkdownTheme => ({
  heading: (text) => paint('heading', text),
  link: (text) => paint('link', text),
  linkUrl: (text) => paint('dim', text),
  code: (text) => paint('code', text),
  codeBlock: (text) => paint('code', text),
  codeBlockBorder: (text) => paint('dim', text),
  quote: (text) => paint('quote', text),
  quoteBorder: (text) => paint('dim', text),
  hr: (text) => paint('dim', text),
  listBullet: (text) => paint('accent', text),
  bold: (text) => paint('strong', text),
  italic: (text) => paint('italic', text),
  strikethrough: (text) => paint('struck', text),
  underline: (text) => paint('underline', text),
  highlightCode: (code, language) => [...highlight(code, language ?? '')],
})
