import { ProcessTerminal } from '@earendil-works/pi-tui'
import type { Bough } from '../bough.ts'
import { messageOf } from '../tree/error.ts'
import { shortID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { App } from './app.ts'
import type { Saved } from './saved/saved.ts'
import { Screen } from './screen/screen.ts'
import { createTheme, type ThemeChoice, themeFor } from './screen/theme.ts'
import { Curtain } from './start/curtain.ts'
import { keepQuiet } from './start/quiet-below.ts'
import type { FoundTabs } from './start/restore-tabs.ts'
import { watchWaysOut } from './start/ways-out.ts'
import type { Tab } from './tab/tab.ts'

export interface TuiOptions {
  readonly env: NodeJS.ProcessEnv
  /** The file with the person's own keys; absent: there are none. */
  readonly keysFile?: string
  /** Opens bough, and finds what is shown; `say` tells what goes on. */
  open(say: (doing: string) => void): Promise<Opened>
}

/** What is there to be shown: tabs of the last time, else a session. */
export interface Opened {
  readonly bough: Bough
  readonly tabs?: FoundTabs
  readonly session: Session | null
  /** Where tabs and what is typed are remembered; absent: nowhere. */
  readonly saved?: Saved
  readonly theme?: ThemeChoice
  /** Where the program was started; absent: it does not matter. */
  readonly directory?: string
  /** Told above the status when it opens. */
  readonly hint?: string
}

export interface TuiEnd {
  /** Null where the person quit. */
  readonly signal: NodeJS.Signals | null
  /** What was shown last; null where it never came to that. */
  readonly session: Session | null
}

/** Milliseconds between two looks at the clock, and at what is to be remembered. */
const tick = 1000

/** Milliseconds until what is large to load and not needed to begin is loaded. */
const afterFirstFrame = 100

/** Shows the terminal UI until the person quits, or a signal ends it. An error that nobody took is thrown. */
export async function runTui({ open, ...options }: TuiOptions): Promise<TuiEnd> {
  const curtain = new Curtain()
  // Its whole group is stopped, as by a terminal that is not raw: the shell waits for all of it.
  const screen = Screen.open(new ProcessTerminal(), curtain, { stop: () => process.kill(0, 'SIGTSTP') })
  const waysOut = watchWaysOut(screen)
  const quiet = keepQuiet()
  const showing = new Showing(screen, curtain)
  try {
    const quit = showing.begin(open, options)
    const quitting = Promise.race([quit, curtain.givenUp]).then(() => null)
    const way = await Promise.race([quitting, waysOut.taken])
    if (way?.kind === 'crash') throw way.error
    if (way === null) await screen.drain()
    return { signal: way?.signal ?? null, session: showing.session }
  } finally {
    screen.close()
    quiet.end()
    waysOut.stop()
    await showing.end()
  }
}

// What is not needed before the first line stands on the screen.
const loadParts = () =>
  Promise.all([
    import('./app.ts'),
    import('./keys/key-map.ts'),
    import('./keys/own-keys.ts'),
    import('./start/restore-tabs.ts'),
    import('./start/remembering.ts'),
  ])

type Parts = Awaited<ReturnType<typeof loadParts>>

/** The program behind the screen, from when it is asked for until it ends. */
class Showing {
  readonly #screen: Screen
  readonly #curtain: Curtain
  #app: App | null = null
  #hasTab = false
  #stop = (): void => {}
  #isOver = false

  constructor(screen: Screen, curtain: Curtain) {
    this.#screen = screen
    this.#curtain = curtain
  }

  /** What is shown, or was last. */
  get session(): Session | null {
    return this.#app && this.#hasTab ? this.#app.tab.session : null
  }

  /** Resolves when the person quits. */
  async begin(open: TuiOptions['open'], options: Omit<TuiOptions, 'open'>): Promise<void> {
    const say = (doing: string): void => {
      this.#curtain.say(doing)
      this.#screen.redraw()
    }
    const [opened, parts] = await Promise.all([open(say), loadParts()])
    // Nobody waited for it.
    if (this.#isOver) return
    const app = await this.#raise(opened, parts, options)
    if (this.#isOver) return this.end()
    await app.over
  }

  async end(): Promise<void> {
    this.#isOver = true
    this.#stop()
    await this.#app?.leave()
  }

  async #raise(
    { bough, session, tabs = { tabs: [], problems: [] }, saved, theme, directory, hint }: Opened,
    [{ App }, { KeyMap }, { complaintLine, readOwnKeys }, { restoreTabs }, { Remembering }]: Parts,
    { env, keysFile }: Omit<TuiOptions, 'open'>,
  ): Promise<App> {
    const own = keysFile === undefined ? { keys: {}, complaints: [] } : await readOwnKeys(keysFile)
    const remembering = new Remembering(saved)
    const app = new App({
      bough,
      theme: createTheme(themeFor(env, undefined, theme)),
      keys: new KeyMap(
        own.keys,
        keysFile === undefined ? null : { file: keysFile, complaints: own.complaints },
      ),
      ...(directory !== undefined && { directory }),
      said: remembering.said,
      onSaid: (text) => remembering.say(text),
      onKey: () => remembering.keepSoon(),
      onBlur: () => remembering.keep(),
    })
    this.#app = app
    remembering.complainTo((text) => app.tell(text, 'warning'))
    app.appear(this.#screen)
    const { isAny, rest } = await restoreTabs(app, tabs)
    const problem = isAny ? null : await openFirst(app, session)
    this.#hasTab = true
    const complaint = complaintLine(keysFile ?? '', own.complaints)
    if (complaint !== '') app.tell(complaint, 'warning')
    else if (hint) app.tell(hint)
    if (problem !== null) app.tell(problem, 'bad')
    this.#curtain.rise(app)
    this.#screen.redrawNow()
    // One that could not be opened is not among them, and stays in the file: this terminal never had it.
    void rest().then(() => remembering.begin(app))
    void this.#screen.isLight().then((isLight) => {
      app.theme = createTheme(themeFor(env, isLight, theme))
    })
    const timer = setInterval(() => {
      remembering.keep()
      app.tick()
    }, tick)
    const loading = setTimeout(() => app.attempt(() => loadHighlight(app)), afterFirstFrame)
    this.#stop = () => {
      clearTimeout(loading)
      clearInterval(timer)
      remembering.end()
    }
    return app
  }
}

// One that is broken keeps nobody from talking: then it is a new one, and what is wrong is told.
async function openFirst(app: App, session: Session | null): Promise<string | null> {
  const { bough, directory } = app
  const create = async (): Promise<Tab> =>
    app.openTab(await bough.create(directory === null ? {} : { directory }))
  if (!session) {
    await create()
    return null
  }
  try {
    await app.openTab(session)
    return null
  } catch (error) {
    await create()
    const why = messageOf(error)
    return `“${session.title}” (${shortID(session.id)}) could not be opened: ${why}`
  }
}

async function loadHighlight(app: App): Promise<void> {
  const { createHighlight } = await import('./transcript/highlight.ts')
  app.highlight = createHighlight()
}
