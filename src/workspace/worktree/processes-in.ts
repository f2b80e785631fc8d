import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { eachOf } from '../raw-path.ts'
import { realPathOf } from './worktree-entry.ts'

export interface Process {
  readonly pid: number
  readonly name: string
}

/** The processes whose working directory is this one or below it; also when it was deleted under them. */
export async function processesIn(directory: string): Promise<readonly Process[]> {
  const real = await realPathOf(directory)
  const isInside = (cwd: string): boolean => {
    const path = cwd.replace(/ \(deleted\)$/, '')
    return path === real || path.startsWith(`${real}/`)
  }
  const all = process.platform === 'linux' ? await fromProc() : await fromLsof()
  const inside = all.filter(({ cwd }) => isInside(cwd))
  return Promise.all(inside.map(async ({ pid, name }) => ({ pid, name: await name() })))
}

interface Found {
  readonly pid: number
  readonly cwd: string
  name(): Promise<string>
}

// Those of other people cannot be looked at, and do not work in here.
async function fromProc(): Promise<readonly Found[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const cwds = await eachOf(pids, (pid) => readlink(`/proc/${pid}/cwd`).catch(() => null))
  return pids.flatMap((pid, i) => {
    const cwd = cwds[i]
    const name = () =>
      readFile(`/proc/${pid}/comm`, 'utf8').then(
        (text) => text.trim(),
        () => '?',
      )
    return cwd == null ? [] : [{ pid: Number(pid), cwd, name }]
  })
}

// Where there is no lsof, nothing is known. It fails when it could not look at all of them, with the rest of its answer.
const fromLsof = (): Promise<readonly Found[]> =>
  new Promise((resolve) => {
    execFile('lsof', ['-w', '-a', '-d', 'cwd', '-F', 'pcn'], { maxBuffer: 1 << 26 }, (_, stdout) =>
      resolve(parseLsof(stdout)),
    )
  })

/** What lsof prints with -F pcn: for each process lines that begin with a letter, the name of its directory last. */
export function parseLsof(output: string): readonly Found[] {
  const found: Found[] = []
  let [pid, command] = [0, '?']
  for (const line of output.split('\n')) {
    const [letter, value] = [line[0], line.slice(1)]
    if (letter === 'p') pid = Number(value)
    else if (letter === 'c') command = value
    else if (letter === 'n') {
      const name = command
      found.push({ pid, cwd: value, name: async () => name })
    }
  }
  return found
}
