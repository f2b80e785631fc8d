/** How a piece of a screen looks. Colours are as SVG has them; null is the terminal's own. */
export interface CellStyle {
  readonly ink: string | null
  readonly ground: string | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly struck: boolean
}

export interface Cell {
  /** Empty where nothing was ever written. */
  readonly text: string
  /** 2 for a wide character; the cell after it has 0. */
  readonly width: number
  readonly style: CellStyle
}

type Rows = readonly (readonly Cell[])[]

export interface ScreenPicture {
  /** In the frame of the window, and for who cannot see it. */
  readonly title: string
  readonly columns: number
  /** One after the other, for ever, where there are several. */
  readonly frames: readonly Rows[]
  /** The terminal's own colours. */
  readonly ink: string
  readonly ground: string
  readonly frame: string
}

const cell = { width: 8.4, height: 18, baseline: 13.5 }
const margin = 12
const bar = 30
/** Seconds. */
const frameTime = 1.8

/** A terminal's screen as an SVG file: it needs nothing from elsewhere, and neighbours that look alike are one text. */
export function drawSvg({ title, columns, frames, ink, ground, frame }: ScreenPicture): string {
  const width = columns * cell.width + 2 * margin
  const height = Math.max(...frames.map((rows) => rows.length)) * cell.height + bar + margin
  const looks = new Looks()
  const bodies = frames.map((rows) => bodyOf(rows, looks))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" role="img" aria-label="${escaped(title)}">`,
    `<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${ink};white-space:pre}${looks.css}${motionOf(bodies.length)}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${ground}"/>`,
    `<path d="M0 ${bar}V8q0-8 8-8H${round(width - 8)}q8 0 8 8V${bar}z" fill="${frame}"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, i) => `<circle cx="${18 + i * 18}" cy="${bar / 2}" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="50%" y="${bar / 2 + 5}" text-anchor="middle" opacity=".7">${escaped(title)}</text>`,
    `<g transform="translate(${margin} ${bar + margin / 2})">`,
    ...(bodies.length === 1 ? bodies : bodies.map((body) => ['<g class="frame">', ...body, '</g>'])).flat(),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function bodyOf(rows: Rows, looks: Looks): readonly string[] {
  const lines = rows.flatMap((cells, row) => {
    const runs = runsOf(cells)
    return [...runs.map((run) => groundOf(run, row)), ...runs.map((run) => textOf(run, row, looks))]
  })
  return lines.filter((line) => line !== '')
}

/** Shows one frame at a time; to who wants nothing to move, the last. */
function motionOf(frames: number): string {
  if (frames === 1) return ''
  const all = Math.round(frames * frameTime * 10) / 10
  const begins = Array.from({ length: frames }, (_, i) => {
    const nth = `.frame:nth-child(${i + 1})`
    return `${nth}{animation-delay:${Math.round(i * frameTime * 10) / 10}s}`
  })
  return [
    `@keyframes show{0%{visibility:visible}${round(100 / frames)}%,100%{visibility:hidden}}`,
    `.frame{visibility:hidden;animation:show ${all}s step-end infinite}`,
    ...begins,
    '@media(prefers-reduced-motion:reduce){.frame{animation:none}.frame:last-child{visibility:visible}}',
  ].join('')
}

interface Run {
  readonly from: number
  readonly columns: number
  readonly text: string
  readonly style: CellStyle
}

// Wide characters are runs of their own: in most fonts they are not exactly twice as wide.
function runsOf(cells: readonly Cell[]): readonly Run[] {
  const runs: (Run & { readonly width: number })[] = []
  let at = 0
  for (const { text, width, style } of cells) {
    const last = runs.at(-1)
    const shown = text === '' ? ' ' : text
    if (last && last.width === width && isSame(last.style, style))
      runs[runs.length - 1] = { ...last, columns: last.columns + width, text: last.text + shown }
    else if (width > 0) runs.push({ from: at, columns: width, text: shown, style, width })
    at += width
  }
  return runs
}

const isSame = (a: CellStyle, b: CellStyle): boolean =>
  a === b ||
  (a.ink === b.ink &&
    a.ground === b.ground &&
    a.bold === b.bold &&
    a.dim === b.dim &&
    a.italic === b.italic &&
    a.underline === b.underline &&
    a.struck === b.struck)

function groundOf({ from, columns, style: { ground } }: Run, row: number): string {
  if (ground === null) return ''
  const [x, y] = [round(from * cell.width), row * cell.height]
  return `<rect x="${x}" y="${y}" width="${round(columns * cell.width)}" height="${cell.height}" fill="${ground}"/>`
}

function textOf({ from, text, columns, style }: Run, row: number, looks: Looks): string {
  const isLine = style.underline || style.struck
  const before = isLine ? 0 : text.length - text.trimStart().length
  const shown = isLine ? text : text.trim()
  if (shown === '') return ''
  const wide = columns - (text.length - shown.length)
  const x = round((from + before) * cell.width)
  const y = round(row * cell.height + cell.baseline)
  // Whatever font there is, every run is as wide as its cells.
  const length = `textLength="${round(wide * cell.width)}" lengthAdjust="spacingAndGlyphs"`
  return `<text x="${x}" y="${y}"${looks.nameOf(style)} ${length}>${escaped(shown)}</text>`
}

/** The styles that occur, each under a short name. */
class Looks {
  readonly #names = new Map<string, string>()

  nameOf(style: CellStyle): string {
    const rules = rulesOf(style)
    if (rules === '') return ''
    const name = this.#names.get(rules) ?? `s${this.#names.size}`
    this.#names.set(rules, name)
    return ` class="${name}"`
  }

  get css(): string {
    return this.#names
      .entries()
      .map(([rules, name]) => `.${name}{${rules}}`)
      .toArray()
      .join('')
  }
}

function rulesOf({ ink, bold, dim, italic, underline, struck }: CellStyle): string {
  const line = [underline && 'underline', struck && 'line-through'].filter(Boolean).join(' ')
  return [
    ink !== null && `fill:${ink}`,
    bold && 'font-weight:bold',
    italic && 'font-style:italic',
    dim && 'opacity:.6',
    line !== '' && `text-decoration:${line}`,
  ]
    .filter(Boolean)
    .join(';')
}

const round = (number: number): number => Math.round(number * 10) / 10

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
