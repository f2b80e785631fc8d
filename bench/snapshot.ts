import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { captureFiles } from '../src/workspace/capture/capture-files.ts'
import { findProject } from '../src/workspace/project.ts'
import { Shadow } from '../src/workspace/shadow/shadow.ts'
import { makeProject } from './made-up-project.ts'
import { OpencodeSnapshots } from './opencode-snapshots.ts'
import type { Group, Row } from './row.ts'
import { interleave, Subject } from './subject.ts'

const run = promisify(execFile)

interface Size {
  readonly files: number
  readonly rounds: number
}

const sizes: readonly Size[] = [
  { files: 1_000, rounds: 15 },
  { files: 10_000, rounds: 25 },
  { files: 50_000, rounds: 7 },
]
/** The figures are for this size; the others are for information. */
const judged = 10_000

export const capturing: Group = {
  name: 'snapshot',
  title: 'A snapshot of the files, beside git status there',
  async measure(directory) {
    return apart(directory, async (data) => {
      const rows: Row[] = []
      for (const size of sizes)
        rows.push(...(await ofProject(directory, join(data, String(size.files)), size)))
      return rows
    })
  },
}

// As in life, the data is not beside the project. Where a file system has just deleted ten thousand files, it takes fifty
// times as long to find room for one more: so nothing is deleted before the end, and the data is not where the groups
// before this one were deleted either. On the same disk, or objects could not be linked.
async function apart<T>(project: string, work: (data: string) => Promise<T>): Promise<T> {
  const { dev } = statSync(project)
  const isNear = (directory: string) => statSync(directory, { throwIfNoEntry: false })?.dev === dev
  const place = isNear('/var/tmp') ? '/var/tmp' : tmpdir()
  const data = await mkdtemp(join(place, 'bough-bench-data-'))
  try {
    return await work(data)
  } finally {
    await rm(data, { recursive: true, force: true })
  }
}

async function ofProject(directory: string, data: string, { files, rounds }: Size): Promise<readonly Row[]> {
  const root = join(directory, String(files))
  await makeProject(root, files)
  const ours = new Ours(data, root)
  const opencode = new OpencodeSnapshots(data, root)
  const status = () => new Subject('git status', () => run('git', ['status', '--porcelain'], { cwd: root }))
  const name = `${files.toLocaleString('en')} files`
  const compare = async (what: string, times: number, limit: number, work: Work): Promise<readonly Row[]> => {
    const [baseline, own, theirs] = [
      status(),
      new Subject(`${name}, ${what}`, work.ours),
      new Subject("  opencode's way", work.theirs),
    ]
    await interleave([baseline, own], times, work.before)
    // Apart: what it leaves to be written to disk would be written in the time of the others.
    await interleave([theirs], Math.min(times, 10), work.before)
    const row = files === judged ? ratio(own, baseline, limit) : ({ kind: 'fact', ...own.result } as const)
    return [row, { kind: 'fact', ...theirs.result }]
  }

  let made = 0
  const rows = [
    ...(await compare('the first', Math.min(rounds, 10), 2.5, {
      ours: () => ours.capture(`new-${made++}`),
      theirs: () => opencode.first(`opencode-${made++}`),
    })),
  ]
  await ours.capture('kept')
  await opencode.first('opencode')
  const [unchanged, changed] = [
    { ours: () => ours.capture('kept'), theirs: () => opencode.next('opencode') },
    {
      ours: () => ours.capture('kept'),
      theirs: () => opencode.next('opencode'),
      before: () => changeThree(root),
    },
  ]
  rows.unshift(
    ...(await compare('nothing changed', rounds, 1.5, unchanged)),
    ...(await compare('3 changed', rounds, 1.5, changed)),
  )

  const touched = new Subject(`${name}, 3 touched`, () => ours.captureTouched('kept', three(root)))
  await ours.capture('kept')
  await interleave([touched], rounds, () => changeThree(root))
  return [...rows, { kind: 'fact', ...touched.result }]
}

interface Work {
  ours(): Promise<unknown>
  theirs(): Promise<unknown>
  /** Before every round. */
  before?(): Promise<unknown>
}

const ratio = (subject: Subject, baseline: Subject, limit: number): Row => ({
  kind: 'ratio',
  ...subject.result,
  baseline: { what: baseline.what, measured: baseline.result.measured },
  limit,
})

/** As a turn does it: the project is looked for and its shadow opened every time. */
class Ours {
  readonly #directory: string
  readonly #root: string
  #last = ''

  constructor(directory: string, root: string) {
    this.#directory = directory
    this.#root = root
  }

  capture(data: string): Promise<void> {
    return this.#capture(data)
  }

  captureTouched(data: string, paths: readonly string[]): Promise<void> {
    return this.#capture(data, { since: this.#last, paths })
  }

  async #capture(data: string, touched?: { since: string; paths: readonly string[] }): Promise<void> {
    const project = await findProject(this.#root)
    const at = join(this.#directory, data)
    await mkdir(at, { recursive: true })
    const shadow = await Shadow.open(at, project)
    const { tree } = await captureFiles(shadow, project, Number.MAX_SAFE_INTEGER, touched)
    this.#last = tree
  }
}

const three = (root: string): readonly string[] => [1, 2, 3].map((i) => join(root, `d${i}`, `f${i}.txt`))

const changeThree = (root: string): Promise<unknown> =>
  Promise.all(three(root).map((path) => appendFile(path, `${performance.now()}\n`)))
