import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import type { AgentStatus, Bough } from '../bough.ts'
import { type Config, readConfig } from '../config.ts'
import { makeOwnDirectory } from '../home.ts'
import { partLine, unapproved } from '../tree/directory-trust.ts'
import { messageOf } from '../tree/error.ts'
import type { Session } from '../tree/session.ts'
import type { Context } from './context.ts'
import { failureOf } from './failure.ts'

/** One thing that has to be right, for `bough doctor`. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do when it is not. */
  readonly fix?: string
  /** What the detail is about, one a line. */
  readonly items?: readonly string[]
  /** Nobody needs it. */
  readonly optional?: boolean
}

/** With a server, what it needs is checked as far as it tells: its files, its git and its options are its own. */
export async function checkAll(context: Context): Promise<readonly Check[]> {
  if (context.server !== null) return [checkNode(), ...(await checkServer(context, context.server))]
  const ground = [checkNode(), await checkGit(), await checkData(context)]
  const config = await checkConfig(context)
  const others = [
    ...(await checkStore(context)),
    ...(await checkLocalServer(context)),
    await checkDiscord(context),
    await checkSandbox(context),
  ]
  // A file that is wrong is wrong for all who read it: once is enough.
  const isNew = ({ detail }: Check): boolean => config.ok || detail !== config.detail
  return [...ground, config, ...others.filter(isNew)]
}

const neededNode = 24

function checkNode(): Check {
  const ok = Number(process.versions.node.split('.')[0]) >= neededNode
  const fix = `Install Node ${neededNode} or newer.`
  return { name: 'Node', ok, detail: process.version, ...(!ok && { fix }) }
}

async function checkGit(): Promise<Check> {
  const { gitVersion } = await import('../open-bough.ts')
  const version = await gitVersion()
  if (version !== null) return { name: 'git', ok: true, detail: version }
  return { name: 'git', ok: false, detail: 'not found', fix: 'Install git, and put it on the PATH.' }
}

/** What is enforced, and for which sessions; needed only where sessions must have it. */
async function checkSandbox({ home }: Context): Promise<Check> {
  const name = 'sandbox'
  try {
    const [{ sandboxFailure }, config] = await Promise.all([import('../open-bough.ts'), readConfig(home)])
    const failure = await sandboxFailure(config)
    const { mode, network } = config.sandbox
    const modes = mode === null ? 'background runs auto, other sessions off' : `sessions ${mode}`
    const chosen = `${modes} (sandbox.mode); network in it: ${network} (sandbox.network)`
    if (failure === null) return { name, ok: true, detail: `it works here; ${chosen}` }
    return { name, ok: false, detail: `${failure.message} Now: ${chosen}`, optional: mode !== 'on' }
  } catch (error) {
    return { name, ok: false, detail: messageOf(error) }
  }
}

async function checkData({ home }: Context): Promise<Check> {
  try {
    makeOwnDirectory(home.data)
    await access(home.data, constants.R_OK | constants.W_OK | constants.X_OK)
    return { name: 'data', ok: true, detail: home.data }
  } catch (error) {
    const fix = 'Make that directory writable for you, or set BOUGH_HOME to one that is.'
    return { name: 'data', ok: false, detail: `${home.data}: ${messageOf(error)}`, fix }
  }
}

async function checkConfig({ home }: Context): Promise<Check> {
  try {
    await readConfig(home)
    return { name: 'config', ok: true, detail: home.config }
  } catch (error) {
    return { name: 'config', ok: false, detail: messageOf(error) }
  }
}

// The agents are known to bough only: where it does not open, they cannot be asked.
async function checkStore({ home, open, directory }: Context): Promise<readonly Check[]> {
  try {
    const bough = await open()
    const [newest] = await bough.sessions({ limit: 1 })
    const { checkStore: readAll } = await import('../open-bough.ts')
    await readAll(home)
    const agents = await bough.agents()
    const config = await readConfig(home)
    const chosen = config.agent ?? agents.find(({ ready }) => ready)?.name ?? 'offline'
    // One that is not signed in does nothing for anybody.
    const probed = agents
      .filter(({ ready }) => ready)
      .map(({ name }) => checkProbe(name, config, name === chosen))
    return [
      { name: 'store', ok: true, detail: `in ${home.data}, ${contentOf(newest)}` },
      ...agents.map((agent) => checkAgent(agent, agent.name !== chosen)),
      ...(await Promise.all(probed)).flat(),
      checkChosenAgent(chosen, agents),
      await checkTrust(directory(), bough),
    ]
  } catch (error) {
    return [{ name: 'store', ok: false, detail: messageOf(error) }]
  }
}

// Untrusted is a fine state to be in: nothing of the project runs. What would is worth a look.
async function checkTrust(directory: string, bough: Bough): Promise<Check> {
  const name = 'trust'
  const trust = await bough.trust(directory)
  const open = unapproved(trust)
  if (open.length === 0) {
    const detail = trust.state === 'untrusted' ? 'has nothing that agents would load' : 'is trusted'
    return { name, ok: true, detail: `${trust.root} ${detail}` }
  }
  const state =
    trust.state === 'changed'
      ? 'is trusted, but these parts are new and stay unloaded:'
      : 'is not trusted: agents there load and run none of these:'
  return {
    name,
    ok: false,
    optional: true,
    detail: `${trust.root} ${state}`,
    fix: 'Look through them: bough trust',
    items: open.map(partLine),
  }
}

// The person's own hooks and settings are not tried: the probe has stronger ones of its own, and runs nothing of theirs.
async function checkProbe(agent: string, config: Config, isChosen: boolean): Promise<readonly Check[]> {
  const name = `${agent} permissions`
  const { probeAgent } = await import('../open-bough.ts')
  try {
    const probe = await probeAgent(agent, config)
    if (!probe) return []
    const { version, ran, unknown, allowRules } = probe
    return [
      { name, ...verdictOn(version, ran, unknown) },
      ...allowRules.map((path) => ({
        ...{ name: `${agent} rules`, ok: false, ...(!isChosen && { optional: true }) },
        detail: `${path} lets ${agent} run commands without asking`,
        fix: 'bough cannot switch these rules off. Remove those that allow, or give them decision = "prompt".',
      })),
    ]
  } catch (error) {
    const fix = `Nobody knows whether ${agent} asks before it acts. Start it once by itself, then try again.`
    return [{ name, ok: false, detail: `could not be checked: ${messageOf(error)}`, fix }]
  }
}

function verdictOn(
  version: string,
  ran: readonly string[],
  unknown: readonly string[],
): Pick<Check, 'ok' | 'detail' | 'fix'> {
  if (ran.length > 0) {
    const detail = `${version} acted although nobody allowed it (${ran.join(', ')})`
    return { ok: false, detail, fix: 'Do not use it with bough. Update both, and report this if it stays.' }
  }
  if (unknown.length === 0) return { ok: true, detail: `asks before it acts, checked with ${version}` }
  const detail = `${version} could not be checked with ${unknown.join(', ')}: it did not try`
  return { ok: false, detail, fix: 'Update bough and the agent, and report this if it stays.' }
}

async function checkServer({ open }: Context, url: string): Promise<readonly Check[]> {
  try {
    const bough = await open()
    const [newest] = await bough.sessions({ limit: 1 })
    const agents = await bough.agents()
    return [
      { name: 'server', ok: true, detail: `${url} answers, ${contentOf(newest)}` },
      ...agents.map((agent) =>
        checkAgent(
          agent,
          agents.some(({ ready }) => ready),
        ),
      ),
    ]
  } catch (error) {
    return [{ name: 'server', ok: false, detail: failureOf(error, {}).line.replace(/^bough: /, '') }]
  }
}

// Nobody needs one: where there is none, there is nothing to say.
async function checkLocalServer({ home, token }: Context): Promise<readonly Check[]> {
  const [{ findServer }, { findLocalServer }] = await Promise.all([
    import('../server/announcement.ts'),
    import('./server/local-server.ts'),
  ])
  const announced = await findServer(home)
  if (!announced) return checkPort()
  const ok = (await findLocalServer(home, token)) !== null
  const detail = `runs for this data at ${announced.url}${ok ? '' : ', but does not let us in'}`
  const fix = 'Set BOUGH_TOKEN to its token, or start it anew.'
  return [{ name: 'server', ok, detail, optional: true, ...(!ok && { fix }) }]
}

async function checkPort(): Promise<readonly Check[]> {
  const [{ isTaken }, { usualPort }] = await Promise.all([
    import('./server/port-taken.ts'),
    import('./server/server-url.ts'),
  ])
  if (!(await isTaken(usualPort))) return []
  const detail = `port ${usualPort} is taken, by no server for this data`
  const fix = 'Should you want one, name another port: bough serve --port N'
  return [{ name: 'server', ok: false, detail, fix, optional: true }]
}

// Nobody needs a bot either; but whoever has begun to make one wants to know.
async function checkDiscord(context: Context): Promise<Check> {
  const { findAccount, isWanted } = await import('../discord/account.ts')
  try {
    const config = await readConfig(context.home)
    if (!isWanted(context, config)) {
      const fix = 'To talk with your agent on Discord, make a bot: the README says how, step by step.'
      return { name: 'discord', ok: false, detail: 'no bot is set up', fix, optional: true }
    }
    const { botName, ownerName } = await import('../discord/ask-discord.ts')
    const account = findAccount(context, config)
    const detail = `the bot ${await botName(account)} answers ${await ownerName(account)}`
    return { name: 'discord', ok: true, detail }
  } catch (error) {
    return { name: 'discord', ok: false, detail: messageOf(error) }
  }
}

const contentOf = (newest: Session | undefined): string =>
  newest ? `newest session "${newest.title}"` : 'no sessions yet'

const checkAgent = ({ name, ready, detail, fix }: AgentStatus, isOptional: boolean): Check => ({
  name,
  ok: ready,
  detail,
  ...(fix && { fix }),
  ...(isOptional && { optional: true }),
})

function checkChosenAgent(chosen: string, agents: readonly AgentStatus[]): Check {
  const name = 'agent of new sessions'
  const found = agents.find((agent) => agent.name === chosen)
  if (found?.installed) return { name, ok: true, detail: chosen }
  const others = agents.filter(({ installed }) => installed || !found).map((agent) => agent.name)
  const choose = `bough config agent <${others.join('|')}>`
  if (!found) {
    const detail = `there is no agent "${chosen}" here`
    return { name, ok: false, detail, fix: `Choose one of these: ${choose}` }
  }
  const fix = `${found.fix ? `Install it (${found.fix}), or choose` : 'Choose'} another: ${choose}`
  return { name, ok: false, detail: `${chosen}: ${found.detail}`, fix }
}
