import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { BoughError } from './tree/error.ts'
import type { ProcessIdentity } from './tree/owner.ts'

/** Whether a process still runs; `elsewhere` when its pid means nothing on this machine. */
export type Liveness = 'alive' | 'gone' | 'elsewhere'

export const thisProcess = (): ProcessIdentity => ({
  pid: process.pid,
  started: startOf(process.pid) ?? '',
  machine: thisMachine(),
})

export function livenessOf(identity: ProcessIdentity): Liveness {
  if (identity.machine !== thisMachine()) return 'elsewhere'
  return startOf(identity.pid) === identity.started ? 'alive' : 'gone'
}

export const isSameProcess = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.pid === b.pid && a.started === b.started && a.machine === b.machine

/** Whether there is a process of that pid, somebody else's too. Another one may have got the pid meanwhile. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** When a process started, as the system tells it; null when there is none, or only its remains. */
export function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return startByPs(pid)
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything: fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, start] = [fields[0], fields[19]]
    return state === 'Z' || state === 'X' ? null : (start ?? null)
  } catch {
    return null
  }
}

/** Ends an agent's process, if it is still the one that was noted, with all that it started; resolves when it is gone. */
export async function endProcess(noted: { readonly pid: number; readonly started: string }): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = [...(startOf(noted.pid) === noted.started ? [noted.pid] : []), ...markedBy(noted)]
    if (left.length === 0) return
    if (tries === 500)
      throw new BoughError(
        'agent_failed',
        `The agent's process ${left[0]} cannot be ended. End it by hand, then try again.`,
      )
    for (const pid of left) killGroup(pid)
    await pause(10)
  }
}

/**
 * What an agent started: it carries the agent's pid in its environment, also when it has left the agent's group and the
 * agent is gone. Where another process has got that pid since, nobody knows whose it is.
 */
function markedBy({ pid, started }: { readonly pid: number; readonly started: string }): readonly number[] {
  const now = startOf(pid)
  if (started === '' || (now !== null && now !== started)) return []
  return carrying(`BOUGH_AGENT=${pid}`)
    .filter((each) => each !== pid)
    .filter((each) => Number(startOf(each) ?? -1) >= Number(started))
}

/** Ends all processes that carry a variable with this value in their environment, with their groups. Only Linux tells. */
export function killMarked(mark: string): void {
  for (const pid of carrying(mark)) killGroup(pid)
}

function carrying(mark: string): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter((each) => each > 0 && each !== process.pid && environmentOf(each).includes(`\0${mark}\0`))
}

function environmentOf(pid: number): string {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
  } catch {
    // Gone, or somebody else's.
    return ''
  }
}

function killGroup(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // Gone already, or not the leader of a group.
    }
  }
}

function startByPs(pid: number): string | null {
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/)
    return state?.startsWith('Z') ? null : start.join(' ')
  } catch {
    return null
  }
}

function thisMachine(): string {
  if (process.platform !== 'linux') return hostname()
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
}
