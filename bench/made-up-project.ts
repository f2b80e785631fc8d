import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const directories = 100
const lines = 100

/**
 * A git project with so many files of 6 KB, as a clone has it: packed, and older than its index. No two files are alike,
 * so that none of them has to be put together from others.
 */
export async function makeProject(directory: string, files: number): Promise<{ readonly commit: string }> {
  for (let i = 0; i < files; i++) {
    if (i < directories) await mkdir(join(directory, `d${i}`), { recursive: true })
    const body = randomBytes(lines * 30)
      .toString('hex')
      .replace(/.{60}/g, '$&\n')
    await writeFile(join(directory, `d${i % directories}`, `f${i}.txt`), body)
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'gc.auto=0', '-c', 'core.compression=1', ...args], {
      cwd: directory,
      encoding: 'utf8',
    })
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=n', '-c', 'user.email=e', 'commit', '-qm', 'begin')
  git('repack', '-adq', '--window=0')
  git('prune-packed', '-q')
  return { commit: git('rev-parse', 'HEAD').trim() }
}
