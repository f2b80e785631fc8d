import { expect, test } from 'vitest'
import { type Cell, type CellStyle, drawSvg } from '../scripts/svg-screen.ts'

const plain: CellStyle = {
  ink: null,
  ground: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  struck: false,
}

const cells = (text: string, style: Partial<CellStyle> = {}): readonly Cell[] =>
  [...text].map((each) => ({ text: each, width: 1, style: { ...plain, ...style } }))

const wide = (text: string): readonly Cell[] =>
  [...text].flatMap((each) => [
    { text: each, width: 2, style: plain },
    { text: '', width: 0, style: plain },
  ])

/** The lines that show what is on the screen, without the window around it. */
function drawn(...rows: readonly (readonly Cell[])[]): { lines: readonly string[]; css: string } {
  const svg = drawSvg({ title: 'T', columns: 10, frames: [rows], ink: '#eee', ground: '#111', frame: '#333' })
  const all = svg.split('\n')
  const from = all.findIndex((line) => line.startsWith('<g '))
  return {
    lines: all.slice(from + 1, all.indexOf('</g>')),
    css: /white-space:pre\}(.*)<\/style>/.exec(svg)?.[1] ?? '',
  }
}

test('a picture is one whole SVG file that names nothing elsewhere', () => {
  const svg = drawSvg({
    title: 'a "b" <c>',
    columns: 4,
    frames: [[cells('hi')]],
    ink: '#eee',
    ground: '#111',
    frame: '#333',
  })
  expect(svg).toMatchInlineSnapshot(`
    "<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 57.6 60" role="img" aria-label="a &quot;b&quot; &lt;c&gt;">
    <style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#eee;white-space:pre}</style>
    <rect width="100%" height="100%" rx="8" fill="#111"/>
    <path d="M0 30V8q0-8 8-8H49.6q8 0 8 8V30z" fill="#333"/>
    <circle cx="18" cy="15" r="5.5" fill="#ff5f57"/>
    <circle cx="36" cy="15" r="5.5" fill="#febc2e"/>
    <circle cx="54" cy="15" r="5.5" fill="#28c840"/>
    <text x="50%" y="20" text-anchor="middle" opacity=".7">a &quot;b&quot; &lt;c&gt;</text>
    <g transform="translate(12 36)">
    <text x="0" y="13.5" textLength="16.8" lengthAdjust="spacingAndGlyphs">hi</text>
    </g>
    </svg>
    "
  `)
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|@import|href/)
})

test('neighbours that look alike are one text', () => {
  const { lines } = drawn([...cells('ab'), ...cells('cd')])
  expect(lines).toEqual([expect.stringMatching(/<text x="0" y="[\d.]+" .*textLength="33.6".*>abcd<\/text>/)])
})

test('what looks different is a text of its own, and the same look has the same name', () => {
  const green = { ink: '#0f0', bold: true }
  const { lines, css } = drawn([...cells('a', green), ...cells('b'), ...cells('c', green)])
  expect(lines.map((line) => /class="(\w+)"/.exec(line)?.[1])).toEqual(['s0', undefined, 's0'])
  expect(css).toBe('.s0{fill:#0f0;font-weight:bold}')
})

test('each way to look has its rule', () => {
  const { css } = drawn([
    ...cells('a', { dim: true }),
    ...cells('b', { italic: true }),
    ...cells('c', { underline: true }),
    ...cells('d', { struck: true, underline: true }),
  ])
  expect(css).toBe(
    '.s0{opacity:.6}.s1{font-style:italic}.s2{text-decoration:underline}.s3{text-decoration:underline line-through}',
  )
})

test('a background is drawn under the text, also where that is only spaces', () => {
  const { lines } = drawn(cells('  ', { ground: '#333' }))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/<rect x="0" y="0" width="16.8" height="\d+" fill="#333"\/>/)
})

test('spaces and cells that nothing was written to take no room in the file', () => {
  const nothing: Cell = { text: '', width: 1, style: plain }
  expect(drawn(cells('    '), [nothing, nothing]).lines).toEqual([])
  expect(drawn([nothing, ...cells(' x ')]).lines).toEqual([expect.stringMatching(/x="16.8".*"8.4".*>x</)])
})

test('spaces that are underlined are kept', () => {
  expect(drawn(cells(' x ', { underline: true })).lines).toEqual([expect.stringMatching(/"25.2".*> x </)])
})

test('a wide character takes two cells, and what follows stands where it should', () => {
  const { lines } = drawn([...wide('汤'), ...cells('a')])
  expect(lines).toEqual([
    expect.stringMatching(/x="0".*textLength="16.8".*>汤</),
    expect.stringMatching(/x="16.8".*textLength="8.4".*>a</),
  ])
})

test('what means something in SVG is text', () => {
  expect(drawn(cells('<a>&"'))).toMatchObject({ lines: [expect.stringContaining('>&lt;a&gt;&amp;&quot;<')] })
})

test('several screens are shown one after the other, and to who wants nothing to move the last', () => {
  const frames = ['one', 'two'].map((text) => [cells(text)])
  const svg = drawSvg({ title: 'T', columns: 10, frames, ink: '#eee', ground: '#111', frame: '#333' })
  expect(svg.match(/<g class="frame">\n.*>(\w+)<\/text>\n<\/g>/g)).toHaveLength(2)
  expect(svg).toContain('@keyframes show{0%{visibility:visible}50%,100%{visibility:hidden}}')
  expect(svg).toMatch(/\.frame:nth-child\(2\)\{animation-delay:1\.8s\}/)
  expect(svg).toMatch(/prefers-reduced-motion:reduce\)\{.*\.frame:last-child\{visibility:visible\}/)
})
