import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import type { Part } from '../../tree/message.ts'
import type { Driver, NativeSessions } from '../driver.ts'
import { AppServer } from './app-server.ts'
import { findCodex } from './find-codex.ts'
import { nativeIDIn, type Rig, turnIDIn } from './test-rig.ts'

export const program = await findCodex({ PATH: '' }, null)
export const unknownID = '01a1e28a-4418-7a22-ae68-e6e81511cc65'

export const native = ({ driver }: { readonly driver: Driver }): NativeSessions => {
  if (!driver.native) throw new Error('The driver keeps no sessions.')
  return driver.native
}

/** A thread with these prompts, which nobody holds any more; gives its id and those of its turns. */
export async function talk(rig: Rig, prompts: readonly string[], cwd = rig.cwd) {
  const { turn, connection } = await rig.open({ cwd })
  const turns = []
  for (const prompt of prompts) turns.push(await turn(prompt))
  await connection.close()
  return { nativeID: nativeIDIn(turns[0] ?? []), turns: turns.map(turnIDIn) }
}

/** What a person does in a terminal. */
export const byHand = async (rig: Rig, ...args: readonly string[]): Promise<void> => {
  const running = promisify(execFile)(program, ['exec', '--skip-git-repo-check', ...args], {
    env: rig.env,
    cwd: rig.cwd,
  })
  running.child.stdin?.end()
  await running
}

/** A Codex of somebody else's. */
export async function otherServer(rig: Rig): Promise<AppServer> {
  const server = AppServer.start(program, rig.env)
  onTestFinished(() => server.end())
  await server.begin()
  return server
}

export const said = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (part.type === 'tool-call') return `call ${part.name} ${JSON.stringify(part.args)}`
      if (part.type === 'tool-result') return `result ${part.name} ${part.exitCode} ${part.output}`
      return `${part.type} ${part.text}`
    })
    .join(' | ')

export const inWords = async (rig: Rig, nativeID: string): Promise<readonly string[]> =>
  (await native(rig).read(nativeID)).messages.map(({ role, parts }) => `${role}: ${said(parts)}`)

export const conversation = (...prompts: readonly string[]) =>
  prompts.flatMap((prompt) => [`user: text ${prompt}`, `assistant: text You said: ${prompt}`])

/** What the model got of it. */
export const heardOf = (...prompts: readonly string[]) =>
  prompts.flatMap((prompt) => [`user: ${prompt}`, `assistant: You said: ${prompt}`]).slice(0, -1)

/** The servers that run with this home. */
export async function serversOf({ env }: Rig): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0)
  // Those that end meanwhile tell nothing.
  const tell = (pid: number, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')
  const areOurs = await Promise.all(
    pids.map(
      async (pid) =>
        (await tell(pid, 'cmdline')).includes('\0app-server\0') &&
        (await tell(pid, 'environ')).includes(`CODEX_HOME=${env.CODEX_HOME}\0`),
    ),
  )
  return pids.filter((_, i) => areOurs[i])
}

export async function rolloutOf({ env }: Rig, nativeID: string): Promise<string> {
  const root = join(env.CODEX_HOME ?? '', 'sessions')
  const file = (await readdir(root, { recursive: true })).find((path) => path.includes(nativeID))
  return join(root, file ?? 'none')
}
