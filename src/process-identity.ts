import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
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

/** Ends an agent's process with all of its group, if it is still the one that was noted; resolves when it is gone. */
export async function endProcess(noted: { readonly pid: number; readonly started: string }): Promise<void> {
  for (let tries = 0; startOf(noted.pid) === noted.started; tries++) {
    if (tries === 500)
      throw new BoughError(
        'agent_failed',
        `The agent's process ${noted.pid} cannot be ended. End it by hand, then try again.`,
      )
    killGroup(noted.pid)
    await pause(10)
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
