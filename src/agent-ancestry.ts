import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

// The gates that start agents' processes mark them with BOUGH_AGENT. A command can clear its own environment, but not that of
// the processes above it. This is a safeguard and no boundary: a process that leaves its parents and its session loses the mark.

interface Process {
  readonly isMarked: boolean
  /** Its parent, the leader of its group and, where the system tells, of its session. */
  readonly relatives: readonly number[]
}

/** Whether an agent started this process, directly or through other processes. */
export function isInsideAgent(env: NodeJS.ProcessEnv): boolean {
  if (env.BOUGH_AGENT) return true
  const find = process.platform === 'linux' ? readProcess : listedBy(listProcesses())
  const seen = new Set<number>()
  const left = [process.pid]
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    // In a sandbox the first process may be the one that set it up.
    if (pid < 1 || seen.has(pid)) continue
    seen.add(pid)
    const found = find(pid)
    if (found?.isMarked) return true
    left.push(...(found?.relatives ?? []))
  }
  return false
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name, in parentheses, may hold anything: fields are counted from behind it.
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { isMarked: hasMarkedEnvironment(pid), relatives: [parent, group, session].map(Number) }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}

function hasMarkedEnvironment(pid: number): boolean {
  try {
    return /\0BOUGH_AGENT=[^\0]/.test(`\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`)
  } catch {
    // Another user's: agents run as the person.
    return false
  }
}

// macOS hides the environment of its own programs, like sh: the gate of a shell has its mark among its arguments, too.
const listProcesses = (): string =>
  execFileSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,ppid=,pgid=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })

/** Finds processes in what `ps` printed. */
export function listedBy(listing: string): (pid: number) => Process | undefined {
  const processes = new Map<number, Process>()
  for (const line of listing.split('\n')) {
    const [, pid, parent, group, command] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? []
    if (command === undefined) continue
    const isMarked = / BOUGH_AGENT=\S/.test(command)
    processes.set(Number(pid), { isMarked, relatives: [Number(parent), Number(group)] })
  }
  return (pid) => processes.get(pid)
}
