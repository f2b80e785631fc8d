import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { newHome, openForTest, turn } from '../../../test/support/bough.ts'
import { HeldAgent } from '../../../test/support/held-agent.ts'
import { until } from '../../../test/support/until.ts'
import type { Driver } from '../../agents/driver.ts'
import type { Bough } from '../../bough.ts'
import type { Home } from '../../home.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { Session } from '../../tree/session.ts'
import { commitAll, person, put } from '../../workspace/testing/ground.ts'
import { App } from '../app.ts'
import { KeyMap, type KeysSource, type OwnKeys } from '../keys/key-map.ts'
import { Screen } from '../screen/screen.ts'
import { createTheme, type ThemeName } from '../screen/theme.ts'
import { VirtualTerminal } from './virtual-terminal.ts'

export interface GroundOptions {
  readonly columns?: number
  readonly rows?: number
  /** The project is a git repository with these files. */
  readonly files?: Readonly<Record<string, string>>
  /** Said before the UI opens, turn by turn. */
  readonly prompts?: readonly string[]
  readonly theme?: ThemeName
  /** Code is painted, as it is some time after the program began. */
  readonly highlight?: boolean
  readonly keys?: OwnKeys
  /** Where those are from. */
  readonly ownKeys?: KeysSource
  /** Beside the held agent, which is the offline one and the agent of sessions that name none. */
  readonly drivers?: readonly Driver[]
  /** The configuration file. */
  readonly config?: object
  /** The Bough as the UI sees it, for what is to go wrong. */
  readonly seen?: (bough: Bough) => Bough
}

/** The terminal UI on a terminal without a window, with a real Bough below. All is closed when the test is over. */
export interface TuiGround {
  readonly bough: Bough
  readonly home: Home
  readonly directory: string
  readonly agent: HeldAgent
  readonly session: Session
  readonly app: App
  readonly terminal: VirtualTerminal
  /** The time as the UI sees it. Real time does not pass for it. */
  readonly clock: { now: number }
  /** Presses keys by name (`Esc`, `Enter`, `Up`, `Ctrl+P`, `Alt+Shift+F`); another text is typed as it is. */
  press(...keys: readonly string[]): void
  /** Clicks into the middle of the first text on the screen that is so. */
  click(text: string): Promise<void>
  /** The screen as text, as soon as it has that; without one, as it is. */
  screen(shows?: string | RegExp): Promise<string>
  /** One turn to its end, as another front end would begin it. */
  turn(text: string, id?: SessionID): Promise<void>
}

export async function openTui(options: GroundOptions = {}): Promise<TuiGround> {
  const { columns = 80, rows = 24, files, prompts = [], theme = 'plain', keys = {}, drivers = [] } = options
  const { project, ...home } = await newHome()
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(home.config, JSON.stringify(options.config ?? { permissions: { allow: ['run'] } }))
  const directory = join(project, 'kitchen')
  mkdirSync(directory)
  if (files) {
    person(directory, 'init', '-q', '-b', 'main')
    put(directory, files)
    commitAll(directory)
  }
  const agent = new HeldAgent()
  const bough = await openForTest(home, { drivers: [agent.driver, ...drivers], lookEvery: 20 })
  const session = await bough.create({ title: 'Soup', directory })
  for (const prompt of prompts) await turn(bough, session.id, prompt)
  const clock = { now: Date.now() }
  const terminal = new VirtualTerminal(columns, rows)
  const app = new App({
    ...{
      bough: options.seen?.(bough) ?? bough,
      theme: createTheme(theme),
      keys: new KeyMap(keys, options.ownKeys),
    },
    clock: () => clock.now,
  })
  const screen = Screen.open(terminal, app)
  onTestFinished(async () => {
    screen.close()
    await app.leave()
  })
  app.appear(screen)
  await app.openTab(session)
  if (options.highlight) app.highlight = (await import('../transcript/highlight.ts')).createHighlight()
  const ground: TuiGround = {
    ...{ bough, home, directory, agent, session, app, terminal, clock },
    press(...pressed) {
      for (const key of pressed) terminal.type(codes[key] ?? key)
    },
    async click(text) {
      await ground.screen(text)
      const lines = await terminal.lines()
      const row = lines.findIndex((line) => line.includes(text))
      const column = (lines[row] ?? '').indexOf(text) + Math.floor(text.length / 2)
      for (const end of ['M', 'm']) terminal.type(`\u001b[<0;${column + 1};${row + 1}${end}`)
    },
    async screen(shows) {
      let text = ''
      const look = async (): Promise<boolean> => {
        text = (await terminal.lines()).join('\n').trimEnd()
        return shows === undefined || (typeof shows === 'string' ? text.includes(shows) : shows.test(text))
      }
      await until(`the screen to show ${shows}`, look).catch((error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : error}\n${text}`)
      })
      return text
    },
    async turn(text, id = session.id) {
      await turn(bough, id, text)
    },
  }
  return ground
}

/** What terminals send for keys. */
const codes: Readonly<Record<string, string>> = {
  Esc: '\u001b',
  Enter: '\r',
  Tab: '\t',
  'Shift+Tab': '\u001b[Z',
  Space: ' ',
  Backspace: '\u007f',
  Up: '\u001b[A',
  Down: '\u001b[B',
  Right: '\u001b[C',
  Left: '\u001b[D',
  Home: '\u001b[H',
  End: '\u001b[F',
  PgUp: '\u001b[5~',
  PgDn: '\u001b[6~',
  'Ctrl+Home': '\u001b[1;5H',
  'Ctrl+End': '\u001b[1;5F',
  'Ctrl+Up': '\u001b[1;5A',
  'Ctrl+Down': '\u001b[1;5B',
  'Ctrl+PgUp': '\u001b[5;5~',
  'Ctrl+PgDn': '\u001b[6;5~',
  'Ctrl+C': '\u0003',
  'Ctrl+D': '\u0004',
  'Ctrl+F': '\u0006',
  'Ctrl+O': '\u000f',
  'Ctrl+P': '\u0010',
  'Ctrl+Q': '\u0011',
  'Ctrl+T': '\u0014',
  'Alt+Shift+F': '\u001bF',
  'Alt+N': '\u001bn',
  'Alt+R': '\u001br',
  'Alt+S': '\u001bs',
  'Alt+W': '\u001bw',
  'Alt+X': '\u001bx',
  F1: '\u001bOP',
  F4: '\u001bOS',
  F6: '\u001b[17~',
  F7: '\u001b[18~',
  F8: '\u001b[19~',
  F9: '\u001b[20~',
  'Ctrl+X': '\u0018',
}
