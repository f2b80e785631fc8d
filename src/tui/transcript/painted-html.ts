import type { Paint, Tone } from '../screen/theme.ts'

const piece = /<span class="([^"]*)">|(<\/span>)|&(amp|lt|gt|quot|#x27);|([^<&]+)|[<&]/g

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** Text in nested spans, as a highlighter gives it, as painted lines: each span looks as its class does, or as what is around it. */
export function paintedLines(
  html: string,
  toneOf: (names: string) => Tone | undefined,
  paint: Paint,
): readonly string[] {
  const lines: string[] = []
  const around: Tone[] = []
  let line = ''
  let run = ''
  let tone: Tone = 'plain'
  const paintRun = (): void => {
    line += paint(tone, run)
    run = ''
  }
  for (const [, names, end, entity, text] of html.matchAll(piece)) {
    if (names !== undefined) {
      paintRun()
      around.push(tone)
      tone = toneOf(names) ?? tone
    } else if (end !== undefined) {
      paintRun()
      tone = around.pop() ?? 'plain'
    } else if (entity !== undefined) run += characters[entity] ?? ''
    else {
      const [first = '', ...others] = (text ?? '').split('\n')
      run += first
      for (const other of others) {
        paintRun()
        lines.push(line)
        line = ''
        run = other
      }
    }
  }
  paintRun()
  return [...lines, line]
}
