import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AgentEvent, Driver } from '../../src/agents/driver.ts'
import { createOfflineDriver } from '../../src/agents/offline/offline.ts'
import type { Home } from '../../src/home.ts'
import { newRepository } from '../../src/workspace/testing/ground.ts'
import { newHome, turn } from './bough.ts'
import type { Pools } from './fuzz-request.ts'
import { ScriptedAgent, says } from './scripted-agent.ts'
import { serveForTest, type TestServer } from './server.ts'
import { until } from './until.ts'

/** A server with a small tree in which there is one of everything. */
export interface FuzzWorld {
  readonly home: Home & { readonly project: string }
  readonly server: TestServer
}

export async function newFuzzWorld(): Promise<FuzzWorld> {
  const home = { ...(await newHome()), project: await newRepository({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' }) }
  mkdirSync(dirname(home.config), { recursive: true })
  writeFileSync(
    home.config,
    JSON.stringify({ agent: 'script', permissions: { allow: ['write'], timeout: 1 } }),
  )
  const server = await serveForTest(home, {
    bough: { drivers: [scripted(home.project), createOfflineDriver()] },
  })
  const { bough } = server
  const main = await bough.create({ directory: home.project, title: 'Main' })
  await turn(bough, main.id, 'hello')
  await turn(bough, main.id, 'and more')
  const worker = await bough.create({ directory: home.project, agent: 'offline', title: 'Worker' })
  await turn(bough, worker.id, 'write c.txt c')
  await bough.fork(main.id, { title: 'Branch', files: 'same' })
  await bough.fork(worker.id, { title: 'Worktree', files: 'worktree' })
  const channel = await bough.channelOf(main.id)
  await bough.say(channel.id, { kind: 'fork', topic: 'a topic' })
  const other = await bough.openChannel({ frontEnd: 'api', key: 'other' }, { directory: home.project })
  const run = await bough.runBackground(other.id, 'hello')
  await until('the run to end', async () => (await bough.sideFork(run.sessionID))?.state === 'ended')
  await bough.addRoutine(channel.id, { prompt: 'hello', cron: '0 0 1 1 *' })
  await bough.addReminder(other.id, { prompt: 'hello', at: 4_000_000_000_000 })
  await bough.link(channel.id, 'external', main.id)
  return { home, server }
}

// Where it may do as it likes, its sessions are of the project.
function scripted(project: string): Driver {
  const { driver } = new ScriptedAgent(
    'script',
    async function* (prompt, _, ask): AsyncGenerator<AgentEvent> {
      if (/\bask\b/.test(prompt)) await ask()
      yield* says('said')
    },
  )
  const { native } = driver
  if (!native) return driver
  const read: typeof native.read = async (nativeID) => {
    const history = await native.read(nativeID)
    return { ...history, session: { ...history.session, directory: project } }
  }
  return { ...driver, native: { ...native, read } }
}

/** What there is to be named. */
export async function poolsOf({ home, server: { bough } }: FuzzWorld): Promise<Pools> {
  const [sessions, channels, schedules, permissions, workspaces] = await Promise.all([
    bough.sessions({ limit: 60 }),
    bough.channels(),
    bough.schedules(),
    bough.permissions(),
    bough.workspaces(),
  ])
  const oldest = sessions.toReversed()
  const messages = await Promise.all(oldest.slice(0, 6).map(({ id }) => bough.messages(id, { limit: 8 })))
  const all = messages.flat()
  return {
    SessionID: oldest.map(({ id }) => id),
    MessageID: [...new Set(all.map(({ id }) => id))],
    ChannelID: channels.map(({ id }) => id),
    ScheduleID: schedules.map(({ id }) => id),
    PermissionID: permissions.map(({ id }) => id),
    SnapshotID: [...new Set(all.flatMap(({ snapshot }) => snapshot ?? []))],
    TurnID: [],
    InquiryID: [],
    Directory: [home.project, ...workspaces.map(({ directory }) => directory)],
  }
}
