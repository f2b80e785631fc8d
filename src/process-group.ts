import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'

// A command that was started as the leader of a group of its own: what is left of the group ends with the command.

/** How long a process that left the group may hold the output open after the command has ended. */
const drainMilliseconds = 500

/** How the command ended, as shells tell it; then its group is gone. */
export const exitCodeOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      killGroup(child.pid)
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal])
    })
  })

/** Ends it, with its group. Once it has exited the group was killed, and the number may come to name another. */
export function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (exitCode === null && signalCode === null) killGroup(pid)
}

/** Resolves when all that was written has been read, or nobody waits for it any more. */
export function drained(output: Readable): Promise<void> {
  return new Promise((resolve) => {
    if (output.closed) return resolve()
    const timer = setTimeout(resolve, drainMilliseconds)
    output.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

// What is left of the group may be nothing at all, or not ours to end.
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
