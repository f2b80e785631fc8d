import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { captureFiles, type Files } from '../capture/capture-files.ts'
import { findProject } from '../project.ts'
import { Shadow } from '../shadow/shadow.ts'

// Real projects for tests of this folder, and what a capture of them holds.

export const newDirectory = async (name = 'project'): Promise<string> =>
  realpath(await mkdtemp(join(tmpdir(), `${name}-`)))

/** The person's own git. */
export function person(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' })
}

/** A repository with these files committed. */
export async function newRepository(
  files: Readonly<Record<string, string | Buffer>> = { 'a.txt': 'a\n' },
  ...init: readonly string[]
): Promise<string> {
  const root = await newDirectory()
  person(root, 'init', '-q', '-b', 'main', ...init)
  put(root, files)
  commitAll(root)
  return root
}

/**
 * Makes a git directory look as one whose refs are kept in tables (reftable), which not every git can make: its HEAD says
 * nothing, and only git knows. `PATH` is what to look for that git in.
 */
export async function keepHeadInTables(
  gitDir: string,
  commonDir = gitDir,
): Promise<{ readonly PATH: string }> {
  const known = join(gitDir, 'known-to-git')
  mkdirSync(known)
  cpSync(join(gitDir, 'HEAD'), join(known, 'HEAD'))
  put(known, { commondir: commonDir })
  put(gitDir, { HEAD: 'ref: refs/heads/.invalid\n' })
  const bin = await newDirectory('bin')
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\n[ -d "$GIT_DIR/known-to-git" ] && export GIT_DIR="$GIT_DIR/known-to-git"\nexec ${real} "$@"\n`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  return { PATH: `${bin}:${process.env.PATH}` }
}

export function commitAll(root: string, message = 'commit'): void {
  person(root, 'add', '-A')
  person(root, 'commit', '-q', '--allow-empty', '-m', message)
}

export function put(root: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

export interface Capture extends Files {
  readonly shadow: Shadow
}

export async function capture(data: string, directory: string, largest = 1 << 30): Promise<Capture> {
  const project = await findProject(directory)
  const shadow = await Shadow.open(data, project)
  return { ...(await captureFiles(shadow, project, largest)), shadow }
}

/** What a tree holds, by path with bytes as latin1: its mode, and its content or where it points. */
export type Contents = Readonly<Record<string, string>>

/** From nothing but the shadow; fails when an object is not there. */
export function contentsOf({ shadow, tree }: Pick<Capture, 'shadow' | 'tree'>): Contents {
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', args, {
      env: { PATH: process.env.PATH, GIT_DIR: shadow.directory },
      input,
      maxBuffer: 1 << 30,
    })
  const entries = run(['ls-tree', '-r', '-z', tree])
    .toString('latin1')
    .split('\0')
    .flatMap((line) => [/^(\d+) \w+ (\w+)\t(.*)$/s.exec(line)?.slice(1) ?? []].filter((it) => it.length > 0))
  const blobs = entries.filter(([mode]) => mode !== '160000')
  const output = run(['cat-file', '--batch'], blobs.map(([, id]) => `${id}\n`).join(''))
  const contents: Record<string, string> = {}
  let at = 0
  for (const [mode = '', id = '', path = ''] of entries) {
    if (mode === '160000') {
      contents[path] = `${mode} ${id}`
      continue
    }
    const end = output.indexOf(10, at)
    const size = Number(/ blob (\d+)$/.exec(output.toString('latin1', at, end))?.[1])
    if (Number.isNaN(size)) throw new Error(`${path}: ${output.toString('latin1', at, end)}`)
    contents[path] = `${mode} ${output.toString('latin1', end + 1, end + 1 + size)}`
    at = end + size + 2
  }
  return contents
}

/** The same of a directory, repositories left out. */
export function filesIn(root: string): Contents {
  const contents: Record<string, string> = {}
  const walk = (below: string) => {
    for (const name of readdirSync(Buffer.from(join(root, below), 'latin1'), { encoding: 'latin1' })) {
      if (name === '.git') continue
      const path = below === '' ? name : `${below}/${name}`
      const full = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
      const found = lstatSync(full)
      if (found.isDirectory()) walk(path)
      else if (found.isSymbolicLink()) contents[path] = `120000 ${readlinkSync(full, 'latin1')}`
      else contents[path] = `${found.mode & 0o100 ? '100755' : '100644'} ${readFileSync(full, 'latin1')}`
    }
  }
  walk('')
  return contents
}

/** Everything below a directory by its bytes, and when the index was written. */
export function fingerprint(directory: string): Readonly<Record<string, string>> {
  const prints: Record<string, string> = {}
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name)
    const found = lstatSync(path)
    const content = found.isFile() ? readFileSync(path) : found.isSymbolicLink() ? readlinkSync(path) : ''
    const time = /(^|\/)index$/.test(name) ? ` ${found.mtimeMs}` : ''
    prints[name] = `${found.mode} ${createHash('sha256').update(content).digest('hex')}${time}`
  }
  return prints
}

/** A program that captures the files of its second argument into the data directory that is its first. */
export const worker = fileURLToPath(new URL('./capture-worker.ts', import.meta.url))
