import { execFile, execFileSync } from 'node:child_process'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { captureFiles } from '../src/workspace/capture-files.ts'
import { findProject } from '../src/workspace/project.ts'
import { Shadow } from '../src/workspace/shadow.ts'
import type { Group, Row } from './row.ts'
import { interleave, Subject } from './subject.ts'

const run = promisify(execFile)
const sizes = [1_000, 10_000, 50_000]
/** The figures are for this size; the others are for information. */
const judged = 10_000
const rounds = 15

export const capturing: Group = {
  name: 'snapshot',
  title: 'A snapshot of the files, beside git status there',
  unfinished: true,
  async measure(directory) {
    const rows: Row[] = []
    for (const files of sizes) rows.push(...(await ofProject(join(directory, String(files)), files)))
    return rows
  },
}

async function ofProject(directory: string, files: number): Promise<readonly Row[]> {
  const project = join(directory, 'project')
  await makeProject(project, files)
  let shadows = 0
  const capture = async (data: string) => {
    const found = await findProject(project)
    return captureFiles(await Shadow.open(join(directory, data), found), found, Number.MAX_SAFE_INTEGER)
  }
  const change = () =>
    Promise.all(
      [1, 2, 3].map((i) => appendFile(join(project, `d${i}`, `f${i}.txt`), `${performance.now()}\n`)),
    )
  const status = new Subject('git status', () => run('git', ['status', '--porcelain'], { cwd: project }))
  const name = `${files.toLocaleString('en')} files`
  const first = new Subject(`${name}, the first`, () => capture(`new-${shadows++}`))
  const unchanged = new Subject(`${name}, nothing changed`, () => capture('kept'))
  const changed = new Subject(`${name}, 3 changed`, () => capture('kept'))

  await capture('kept')
  await interleave([status, unchanged], rounds)
  await interleave([first], Math.min(rounds, 5))
  for (let i = 0; i < rounds; i++) {
    await change()
    await status.sample()
    await changed.sample()
  }
  const baseline = { what: status.what, measured: status.result.measured }
  return [unchanged, changed, first].map((subject) =>
    files === judged
      ? { kind: 'ratio', ...subject.result, baseline, limit: subject === first ? 2.5 : 1.5 }
      : { kind: 'fact', ...subject.result },
  )
}

// As a clone has it: packed, and older than its index.
async function makeProject(directory: string, files: number): Promise<void> {
  const body = 'A line of about sixty characters, as they are in most files.\n'.repeat(100)
  for (let i = 0; i < files; i++) {
    if (i < 100) await mkdir(join(directory, `d${i}`), { recursive: true })
    await writeFile(join(directory, `d${i % 100}`, `f${i}.txt`), `${i}\n${body}`)
  }
  const git = (...args: string[]) => execFileSync('git', ['-c', 'gc.auto=0', ...args], { cwd: directory })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'begin')
  git('gc', '-q')
}
