import { readdirSync, readFileSync } from 'node:fs'

// What Linux tells of processes, in /proc. A process may be gone at any moment: then there is nothing to tell.

export interface ProcessFigures {
  readonly megabytes: number
  readonly handles: number
  readonly threads: number
}

export function figuresOf(pid: number): ProcessFigures | null {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
  const threads = Number(/^Threads:\s+(\d+)/m.exec(status)?.[1])
  const handles = list(`/proc/${pid}/fd`).length
  return Number.isNaN(kilobytes) || handles === 0 ? null : { megabytes: kilobytes / 1024, handles, threads }
}

export interface Relative {
  readonly pid: number
  readonly parent: number
  readonly isZombie: boolean
  readonly commandLine: string
  /** An agent has started it, or something that an agent started. */
  readonly isAgents: boolean
}

/** Everything that runs with this home in its environment, whoever started it, without the process that asks. */
export function relativesOf(home: string): readonly Relative[] {
  return list('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .flatMap((pid) => {
      const environment = `\0${read(`/proc/${pid}/environ`)}`
      if (!environment.includes(`\0BOUGH_HOME=${home}\0`)) return []
      const relative = relation(pid)
      return relative ? [{ ...relative, isAgents: environment.includes('\0BOUGH_AGENT=') }] : []
    })
}

/** Remains of processes that one of these started and never asked for. A zombie has no environment any more. */
export function zombiesOf(parents: readonly number[]): readonly Omit<Relative, 'isAgents'>[] {
  return list('/proc')
    .map(Number)
    .filter((pid) => pid > 0)
    .flatMap((pid) => relation(pid) ?? [])
    .filter(({ isZombie, parent }) => isZombie && parents.includes(parent))
}

function relation(pid: number): Omit<Relative, 'isAgents'> | null {
  const stat = read(`/proc/${pid}/stat`)
  // The name, in parentheses, may hold anything.
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || parent === undefined) return null
  const name = stat.slice(stat.indexOf('('), stat.lastIndexOf(')') + 1)
  const commandLine = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() || name
  return { pid, parent: Number(parent), isZombie: state === 'Z', commandLine }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
