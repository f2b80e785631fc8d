import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitPlace, git, records, toBytes, tryGit } from './git.ts'
import { inRepository, type Project, type Repository } from './project.ts'

// An index copied from the project believes what git believed there. Three of its beliefs do not hold for a snapshot:
// that files somebody told git not to look at are unchanged; that a file it converts (line ends, filters) has the bytes
// of its blob; and that it is about the sparse part only.

/** Makes an index that was copied from the project's own true to the files' bytes. */
export async function prepareSeed(place: GitPlace, { root, repository }: Project): Promise<void> {
  if (!repository) return
  const entries = records(await git(place, ['ls-files', '-z', '-v'])).map((record) => ({
    tag: record[0] ?? '',
    path: record.slice(2),
  }))
  await lookAgain(place, root, entries)
  const converted = await convertedPaths(place, root, repository, entries)
  if (converted.length === 0) return
  const input = joined(converted)
  await git(place, ['update-index', '-z', '--force-remove', '--stdin'], { input })
  await git(place, ['update-index', '-z', '--add', '--remove', '--stdin'], { input })
}

interface Entry {
  /** As `ls-files -v` has it: S is skip-worktree, a small letter is assume-unchanged. */
  readonly tag: string
  readonly path: string
}

// What a sparse checkout left out stays as it is; what is there all the same is looked at like any other file.
async function lookAgain(place: GitPlace, root: string, entries: readonly Entry[]): Promise<void> {
  const hidden = entries.filter(({ tag }) => tag === 'S' || tag !== tag.toUpperCase())
  const present: string[] = []
  for (const { path } of hidden) if (await sizeOf(root, path)) present.push(path)
  if (present.length === 0) return
  const input = joined(present)
  await git(place, ['update-index', '-z', '--no-skip-worktree', '--stdin'], { input })
  await git(place, ['update-index', '-z', '--no-assume-unchanged', '--stdin'], { input })
}

async function convertedPaths(
  place: GitPlace,
  root: string,
  repository: Repository,
  entries: readonly Entry[],
): Promise<readonly string[]> {
  const paths = entries.filter(({ tag }) => tag.toUpperCase() !== 'S').map(({ path }) => path)
  const config = (await tryGit(inRepository(root), ['config', '--get', 'core.autocrlf'])).stdout.trim()
  const always = config === 'true' || config === 'input'
  if (!always && !(await hasAttributes(root, repository, paths))) return []

  const names = ['text', 'eol', 'filter', 'ident', 'working-tree-encoding']
  const answers = records(
    await git(inRepository(root), ['check-attr', '-z', '--stdin', ...names], { input: joined(paths) }),
  )
  const filtered = new Set<string>()
  const text = new Set<string>(always ? paths : [])
  for (let i = 0; i + 2 < answers.length; i += 3) {
    const [path = '', name = '', value = ''] = answers.slice(i, i + 3)
    if (value === 'unspecified' || value === 'unset') continue
    if (name === 'text' || name === 'eol') text.add(path)
    else filtered.add(path)
  }
  const resized = await resizedPaths(
    place,
    root,
    [...text].filter((path) => !filtered.has(path)),
  )
  return [...filtered, ...resized]
}

// Only line ends differ in these: then the sizes differ too, and comparing sizes costs no reading.
async function resizedPaths(
  place: GitPlace,
  root: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `:${path}\0`).join('')
  const sizes = (
    await git(place, ['cat-file', '-z', '--batch-check=%(objectsize)'], { input }).catch(() => '')
  ).split('\n')
  const resized: string[] = []
  for (const [i, path] of paths.entries()) {
    if ((await sizeOf(root, path))?.size !== Number(sizes[i])) resized.push(path)
  }
  return resized
}

async function hasAttributes(
  root: string,
  { commonDir }: Repository,
  paths: readonly string[],
): Promise<boolean> {
  if (paths.some((path) => path === '.gitattributes' || path.endsWith('/.gitattributes'))) return true
  const global = await tryGit(inRepository(root), ['config', '--get', 'core.attributesFile'])
  const elsewhere = [join(root, '.gitattributes'), join(commonDir, 'info', 'attributes')]
  const found = await Promise.all(elsewhere.map((file) => stat(file).catch(() => null)))
  return global.code === 0 || found.some((each) => each !== null)
}

const sizeOf = (root: string, path: string) =>
  lstat(Buffer.concat([Buffer.from(`${root}/`), toBytes(path)])).catch(() => null)

const joined = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')
