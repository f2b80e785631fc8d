import type { Bough } from '../../bough.ts'
import { type Config, readConfig } from '../../config.ts'
import { shortID } from '../../tree/ids.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { Opened } from '../../tui/tui.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { demoLabel } from '../demo-label.ts'
import { signalCode } from '../interrupt.ts'
import { programName } from '../program-name.ts'
import { latestHere } from '../session-here.ts'
import { shellLine } from '../shell-line.ts'
import { UsageError } from '../usage-error.ts'

/** `bough` alone: the terminal UI; or the demo's tree and what to try next where nobody sits at a terminal. */
export async function run(context: Context): Promise<ExitCode> {
  const { interactive, out, env, home } = context
  // One that is only found later is found again by itself.
  const { server } = context
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
  if (session) out.line(out.paint('dim', howToGoOn(context, server, session)))
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
  let found = await findTabs(bough, saved)
  const isOfDemo = ({ labels, directory: its }: Session): boolean =>
    labels.includes(demoLabel) && its !== directory
  const onlyDemo = server === null && found.tabs.every((tab) => isOfDemo(tab.session))
  let session = onlyDemo || found.tabs.length === 0 ? await latestHere(bough, directory) : null
  // Who has a session here, or an agent, by now is done with the demo.
  if (onlyDemo && found.tabs.length > 0 && (session || (await canAnswer(bough, config)))) {
    saved.know(found.tabs.map((tab) => tab.saved.channelID))
    found = { ...found, tabs: [] }
  }
  const { tabs } = found
  const shown = session ?? tabs.find(({ isCurrent }) => isCurrent)?.session ?? tabs[0]?.session
  if (!shown) return { ...ready, bough, tabs: found, ...(await begin(context, bough, config, say)) }
  // What a server on this machine runs is seen there word by word.
  const served = server === null && shown.state === 'running' ? await context.openFound() : null
  if (served) {
    bough = served
    found = await findTabs(served, saved)
    session = session && (await served.session(session.id))
  }
  return { ...ready, bough, tabs: found, session }
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

function howToGoOn(context: Context, server: string | null, { id, title }: Session): string {
  return `To go on with "${plainLine(title)}" (${shortID(id)}): ${programName(context.env)}${withServer(context, server)}`
}

// Also where it comes from BOUGH_SERVER: nobody knows whether that is set for longer than this.
function withServer({ args }: Context, server: string | null): string {
  if (server === null) return ''
  const tokenFile = args.value('token-file')
  return ` ${shellLine(['--server', server, ...(tokenFile === undefined ? [] : ['--token-file', tokenFile])])}`
}

async function showWithoutTerminal(context: Context): Promise<ExitCode> {
  const { err, env, home, server, openHere } = context
  if (server !== null) {
    const [bin, there] = [programName(env), withServer(context, server)]
    throw new UsageError(
      `The terminal UI needs a terminal. Without one, "${bin} ls${there}" lists the sessions of the server, ` +
        `"${bin} log <session>${there}" shows one, and "${bin} send <session> <text>${there}" goes on with it.`,
    )
  }
  const [{ openDemo }, { showDemo, showNextSteps }, { withProgress }] = await Promise.all([
    import('../demo.ts'),
    import('../demo-tour.ts'),
    import('../progress.ts'),
  ])
  const bough = await openHere()
  const root = await withProgress(err, 'making the demo', openDemo(bough, home, { fresh: false }))
  await showDemo(context, bough, root)
  await showNextSteps(context, bough, root)
  return 0
}
