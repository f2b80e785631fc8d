import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startOf } from '../../src/process-identity.ts'
import { until } from './until.ts'

// Commands that the offline agent runs in a directory, which note their processes there.

/** An instruction to run a command for so long; it notes its shell and its child. */
export const runFor = (seconds: number): string => `run sleep ${seconds} & echo $$ $! >> pids; wait`

/** An instruction to run a command until the test says that it may end. */
export const runUntilTold = 'run echo $$ $$ >> pids; while [ ! -e told ]; do sleep 0.05; done'

export const tellToEnd = (directory: string): Promise<void> => writeFile(join(directory, 'told'), '')

/** The processes of commands in a directory that run now. */
export async function runningCommands(directory: string): Promise<readonly number[]> {
  const noted = await readFile(join(directory, 'pids'), 'utf8').catch(() => '')
  const pids = noted.split(/\s+/).filter(Boolean).map(Number)
  return pids.filter((pid) => startOf(pid) !== null)
}

export const commandRuns = (directory: string): Promise<boolean> =>
  until(`a command to run in ${directory}`, async () => (await runningCommands(directory)).length >= 2)

export const commandGone = (directory: string): Promise<boolean> =>
  until(`the command in ${directory} to be gone`, async () => (await runningCommands(directory)).length === 0)

/** Ends what a test that failed has left. */
export async function endCommands(directory: string): Promise<void> {
  for (const pid of await runningCommands(directory)) {
    // By now the number may name another process.
    if (commandLine(pid).includes('sleep')) endProcess(pid)
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It was quicker.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function commandLine(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
