import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitPlace, git, records, tryGit } from './git.ts'
import { inRepository, type Project, type Repository } from './project.ts'
import { joined, lookAll } from './raw-path.ts'

// An index copied from the project believes what git believed there. Three of its beliefs do not hold for a snapshot:
// that files somebody told git not to look at are unchanged; that a file it converts (line ends, filters) has the bytes
// of its blob; and that it is about the sparse part only.

/** Makes an index that was copied from the project's own true to the files' bytes; gives the paths to hash anew. */
export async function prepareSeed(
  place: GitPlace,
  { root, repository }: Project,
): Promise<readonly string[]> {
  if (!repository) return []
  const [listed, settings] = await Promise.all([
    git(place, ['ls-files', '-z', '-v', '--stage']),
    tryGit(inRepository(root), ['config', '--get-regexp', '^core\\.(autocrlf|attributesfile)$']),
  ])
  const entries = records(listed).map(toEntry)
  await lookAgain(place, root, entries)
  const converted = await convertedPaths(place, root, repository, entries, settings.stdout)
  // As long as they are known with the times of their files, git does not look into them.
  if (converted.length > 0) await forget(place, converted)
  return converted
}

/** Takes paths out of an index, whatever is there now. It counts as written anew, also where there are none. */
export async function forget(place: GitPlace, paths: readonly string[]): Promise<void> {
  await git(place, ['update-index', '-z', '--force-write-index', '--force-remove', '--stdin'], {
    input: joined(paths),
  })
}

interface Entry {
  /** As `ls-files -v` has it: S is skip-worktree, a small letter is assume-unchanged. */
  readonly tag: string
  readonly mode: string
  readonly object: string
  readonly path: string
}

function toEntry(record: string): Entry {
  const [, tag = '', mode = '', object = '', path = ''] = /^(.) (\d+) (\w+) \d\t(.*)$/s.exec(record) ?? []
  return { tag, mode, object, path }
}

const isLeftOut = ({ tag }: Entry): boolean => tag.toUpperCase() === 'S'

// What a sparse checkout left out stays as it is; what is there all the same is looked at like any other file.
async function lookAgain(place: GitPlace, root: string, entries: readonly Entry[]): Promise<void> {
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ path }) => path)
  const leftOut = entries.filter(isLeftOut).map(({ path }) => path)
  const found = await lookAll(root, leftOut)
  const present = leftOut.filter((_, i) => found[i])
  const lift = (flag: string, paths: readonly string[]) =>
    paths.length > 0 && git(place, ['update-index', '-z', flag, '--stdin'], { input: joined(paths) })
  await lift('--no-assume-unchanged', assumed)
  await lift('--no-skip-worktree', present)
}

async function convertedPaths(
  place: GitPlace,
  root: string,
  repository: Repository,
  entries: readonly Entry[],
  settings: string,
): Promise<readonly string[]> {
  const files = entries.filter((entry) => entry.mode.startsWith('100') && !isLeftOut(entry))
  const always = /^core.autocrlf (?!false)/m.test(settings)
  const named = /^core.attributesfile /m.test(settings)
  if (!always && !named && !(await hasAttributes(root, repository, entries))) return []

  const names = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding']
  const input = joined(files.map(({ path }) => path))
  const there = { cwd: root, env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: root } }
  const answers = records(await git(there, ['check-attr', '-z', '--stdin', ...names], { input }))
  const filtered = new Set<string>()
  const text = new Set<string>()
  for (let i = 0; i + 2 < answers.length; i += 3) {
    const [path = '', name = '', value = ''] = answers.slice(i, i + 3)
    if (value === 'unspecified' || value === 'unset') continue
    if (name === 'text' || name === 'crlf' || name === 'eol') text.add(path)
    else filtered.add(path)
  }
  const doubtful = files.filter(({ path }) => !filtered.has(path) && (always || text.has(path)))
  return [...filtered, ...(await resizedPaths(place, root, doubtful))]
}

// Only line ends differ in these: then the sizes differ too, and comparing sizes costs no reading.
async function resizedPaths(
  place: GitPlace,
  root: string,
  entries: readonly Entry[],
): Promise<readonly string[]> {
  if (entries.length === 0) return []
  const input = entries.map(({ object }) => `${object}\n`).join('')
  const sizes = (await git(place, ['cat-file', '--batch-check=%(objectsize)'], { input })).split('\n')
  const paths = entries.map(({ path }) => path)
  const found = await lookAll(root, paths)
  return paths.filter((_, i) => found[i]?.size !== Number(sizes[i]))
}

async function hasAttributes(
  root: string,
  { commonDir }: Repository,
  entries: readonly Entry[],
): Promise<boolean> {
  if (entries.some(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'))) return true
  const home = process.env.XDG_CONFIG_HOME ?? join(process.env.HOME ?? '', '.config')
  const elsewhere = [
    join(root, '.gitattributes'),
    join(commonDir, 'info', 'attributes'),
    join(home, 'git', 'attributes'),
  ]
  const found = await Promise.all(elsewhere.map((file) => stat(file).catch(() => null)))
  return found.some((each) => each !== null)
}
