import { dirname, join } from 'node:path'
import type { Bough } from '../../bough.ts'
import { type Config, readConfig } from '../../config.ts'
import type { Home } from '../../home.ts'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { Opened } from '../../tui/tui.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { signalCode } from '../interrupt.ts'
import { programName } from '../program-name.ts'
import { latestHere } from '../session-here.ts'

/** `bough` alone: the terminal UI; or the demo's tree and what to try next where nobody sits at a terminal. */
export async function run(context: Context): Promise<ExitCode> {
  const { interactive, out, env, home } = context
  if (!interactive || !out.isTerminal) return showWithoutTerminal(context)
  const [{ runTui }, { keysFile }] = await Promise.all([
    import('../../tui/tui.ts'),
    import('../../tui/keys/own-keys.ts'),
  ])
  let bough: Bough | null = null
  const { signal, session } = await runTui({
    env,
    keysFile: keysFile(home.config),
    open: async (say) => {
      const opened = await open(context, say)
      bough = opened.bough
      return opened
    },
  })
  if (signal !== null) return signalCode(signal)
  if (session) out.line(out.paint('dim', howToGoOn(env, session)))
  if (bough) {
    const { waitForRuns } = await import('../chat/wait-for-runs.ts')
    await waitForRuns({ context, bough }, (line) => out.line(line), 'here')
  }
  return 0
}

/** The tabs of the last time in this directory; else its latest session; else a new one, or the demo where nobody could answer. */
async function open(context: Context, say: (doing: string) => void): Promise<Opened> {
  const { home, server } = context
  const directory = context.directory()
  say(server === null ? 'opening the store' : `asking ${server}`)
  const [first, config, { Saved }, { findTabs }] = await Promise.all([
    context.open(),
    readConfig(home),
    import('../../tui/saved/saved.ts'),
    import('../../tui/start/restore-tabs.ts'),
  ])
  let bough = first
  const saved = Saved.open({ data: home.data, directory, server })
  const ready = { saved, theme: config.tui.theme, directory }
  let tabs = await findTabs(bough, saved)
  const onlyDemo = tabs.every(({ session }) => isOfDemo(home, session) && session.directory !== directory)
  // Who has an agent by now is done with the demo.
  if (tabs.length > 0 && onlyDemo && server === null && (await canAnswer(bough, config))) {
    saved.know(tabs.map((tab) => tab.saved.channelID))
    tabs = []
  }
  let session = tabs.length > 0 ? null : await latestHere(bough, directory)
  const shown = session ?? tabs.find(({ isCurrent }) => isCurrent)?.session ?? tabs[0]?.session
  if (!shown) return { ...ready, bough, ...(await begin(context, bough, config, say)) }
  // What a server on this machine runs is seen there word by word.
  const served = server === null && shown.state === 'running' ? await context.openFound() : null
  if (served) {
    bough = served
    tabs = await findTabs(served, saved)
    session = session && (await served.session(session.id))
  }
  return { ...ready, bough, tabs, session }
}

async function begin(
  context: Context,
  bough: Bough,
  config: Config,
  say: (doing: string) => void,
): Promise<Pick<Opened, 'session' | 'hint'>> {
  const { server, home } = context
  const directory = context.directory()
  if (server !== null) return { session: await bough.create({ directory }) }
  say('looking for agents')
  if (await canAnswer(bough, config)) return { session: await bough.create({ directory }) }
  say('making the demo')
  const { openDemo } = await import('../demo.ts')
  return {
    session: await openDemo(bough, home, { fresh: false }),
    hint: 'The demo. Esc looks back: choose a message, and Enter forks there. F1 helps.',
  }
}

const canAnswer = async (bough: Bough, { agent }: Config): Promise<boolean> =>
  agent !== null || (await bough.agents()).some(({ name, ready }) => ready && name !== 'offline')

const isOfDemo = (home: Home, { directory }: Session): boolean =>
  dirname(directory) === join(home.data, 'demo')

const howToGoOn = (env: NodeJS.ProcessEnv, { id, title }: Session): string =>
  `To go on with "${plainLine(title)}" (${shortID(id)}): ${programName(env)}`

async function showWithoutTerminal(context: Context): Promise<ExitCode> {
  const { err, home, openHere } = context
  const [{ openDemo }, { showDemo, showNextSteps }, { withProgress }] = await Promise.all([
    import('../demo.ts'),
    import('../demo-tour.ts'),
    import('../progress.ts'),
  ])
  if (context.server !== null)
    err.line('bough: the demo is made in the data of this machine, without the server.')
  const bough = await openHere()
  const root = await withProgress(err, 'making the demo', openDemo(bough, home, { fresh: false }))
  await showDemo(context, bough, root)
  await showNextSteps(context, bough, root)
  return 0
}
