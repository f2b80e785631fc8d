// `npm run screenshots`: takes the pictures of the terminal UI in docs/screens, from the program itself, with a home of its
// own. With names of scenes it takes only those. A scene that does not come keeps its old picture, and is told.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tellStory } from './screen-story.ts'
import { ScreenTerminal } from './screen-terminal.ts'
import { drawSvg, type ScreenPicture } from './svg-screen.ts'

interface Scene {
  /** Of its file. */
  readonly name: string
  readonly title: string
  readonly look?: 'dark' | 'light'
  /** It is shown as it goes on, and not only how it ends. */
  readonly moves?: boolean
  /** What is typed, and what has to be there before it goes on. */
  readonly steps: readonly { readonly type: string; readonly shows: RegExp }[]
}

const key = {
  esc: '\u001b',
  enter: '\r',
  space: ' ',
  up: '\u001b[A',
  down: '\u001b[B',
  clear: '\u0003',
  ctrlP: '\u0010',
  ctrlT: '\u0014',
  altShiftF: '\u001bF',
} as const

const start = { type: '', shows: /looks back/ }

const scenes: readonly Scene[] = [
  {
    name: 'fork',
    title: 'bough: fork at any message',
    moves: true,
    steps: [
      start,
      { type: key.esc, shows: /BACKTRACK MODE/ },
      { type: key.up, shows: /you · \d+ ─/ },
      { type: key.enter, shows: /Restore here(?!.*Looking …)/s },
      { type: key.enter, shows: /2 ⑂ .*What about things/s },
      { type: key.clear, shows: /Type to talk/ },
      { type: 'Round everything up, whatever it is.', shows: /whatever it is/ },
      { type: key.ctrlT, shows: /Thirds and quarters/ },
    ],
  },
  { name: 'transcript', title: 'bough: a conversation', steps: [start] },
  { name: 'transcript-light', title: 'bough: a conversation', look: 'light', steps: [start] },
  {
    name: 'backtrack',
    title: 'bough: choose where to fork',
    steps: [
      start,
      { type: key.esc, shows: /BACKTRACK MODE/ },
      { type: key.up, shows: /you · \d+ ─/ },
      { type: key.up, shows: /agent · \d+ ─/ },
    ],
  },
  {
    name: 'fork-dialog',
    title: 'bough: the fork dialog',
    steps: [start, { type: key.altShiftF, shows: /Restore here(?!.*Looking …)/s }],
  },
  {
    name: 'palette',
    title: 'bough: the command palette',
    steps: [start, { type: key.ctrlP, shows: /palette|commands/i }, { type: 'fork', shows: /Fork session/ }],
  },
  {
    name: 'session-tree',
    title: 'bough: the session tree',
    steps: [start, { type: key.ctrlT, shows: /Thirds and quarters/ }],
  },
  {
    name: 'interactive-fork',
    title: 'bough: a side conversation',
    steps: [
      start,
      { type: '/fork Which soups freeze well?', shows: /freeze well/ },
      { type: key.enter, shows: /Save.*Report.*Exit.*told me.*looks back/s },
    ],
  },
  {
    name: 'compare',
    title: 'bough: two sessions side by side',
    steps: [
      start,
      { type: key.ctrlT, shows: /Thirds and quarters/ },
      { type: key.space + key.down + key.space, shows: /Compare “/ },
    ],
  },
]

const looks = {
  dark: { ink: '#d8dee9', ground: '#16181d', frame: '#2a2d35' },
  light: { ink: '#24292f', ground: '#ffffff', frame: '#e6e8eb' },
} as const
const size = { columns: 100, rows: 30 }
const root = join(import.meta.dirname, '..')
const pictures = join(root, 'docs', 'screens')

const names = process.argv.slice(2)
const unknown = names.find((name) => !scenes.some((scene) => scene.name === name))
if (unknown !== undefined)
  throw new Error(`There is no scene "${unknown}". There are: ${scenes.map(({ name }) => name).join(', ')}.`)

const directory = await mkdtemp(join(tmpdir(), 'bough-screens-'))
try {
  const home = join(directory, 'home')
  const project = join(directory, 'recipes')
  await mkdir(project)
  await tellStory({ data: home, config: join(home, 'config.json') }, project)
  await cp(directory, `${directory}.told`, { recursive: true })
  await mkdir(pictures, { recursive: true })
  for (const scene of scenes.filter(({ name }) => names.length === 0 || names.includes(name))) {
    await rm(directory, { recursive: true })
    await cp(`${directory}.told`, directory, { recursive: true })
    await take(scene, home, project)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
  await rm(`${directory}.told`, { recursive: true, force: true })
}

async function take(
  { name, title, look = 'dark', moves = false, steps }: Scene,
  home: string,
  project: string,
): Promise<void> {
  const { NO_COLOR: _, ...inherited } = process.env
  const env = { ...inherited, BOUGH_HOME: home, COLORTERM: 'truecolor' }
  const command = [process.execPath, join(root, 'bin', 'bough.js')]
  const terminal = await ScreenTerminal.start({ command, cwd: project, env, ...size }, looks[look])
  try {
    const frames: ScreenPicture['frames'][number][] = []
    for (const [i, { type, shows }] of steps.entries()) {
      terminal.type(type)
      await terminal.shows(shows)
      if (moves || i === steps.length - 1) frames.push(await terminal.cells())
    }
    const svg = drawSvg({ title, columns: size.columns, frames, ...looks[look] })
    await writeFile(join(pictures, `${name}.svg`), svg)
    console.log(`${name}.svg: ${Math.ceil(svg.length / 1024)} kB`)
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  } finally {
    await terminal.stop()
  }
}
