import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Missing } from '../tree/snapshot.ts'
import { GitError, type GitPlace, git, records, tryGit } from './git.ts'
import type { Project } from './project.ts'
import { lookAll } from './raw-path.ts'
import type { Shadow } from './shadow.ts'

/** A directory that takes longer to look through (somebody's home, say) is not captured at all. */
const call = { timeout: 20_000 }

export interface Scan {
  /** To hash or to remove. A nested repository ends with a slash. */
  readonly changed: readonly string[]
  /** Known, and ignored by now. */
  readonly dropped: readonly string[]
  readonly unreadable: readonly Missing[]
  /** What is ignored was looked up anew. */
  readonly rulesChanged: boolean
}

/** Known files that changed or went, and unknown ones that are not ignored. */
export async function scan(
  place: GitPlace,
  shadow: Shadow,
  project: Project,
  seeded: boolean,
): Promise<Scan> {
  const [changed, others] = await Promise.all([
    git(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=all'], call).then(records),
    unknownFiles(place),
  ])
  const found = [...changed, ...others.paths]
  const rules = !seeded && (await rulesChanged(place, project, found))
  const { forced, dropped } = rules ? await ignoredFiles(place, shadow, project) : noneIgnored
  const gone = new Set(dropped)
  return {
    changed: [...new Set([...found, ...forced])].filter((path) => !gone.has(path)),
    dropped,
    unreadable: others.unreadable,
    rulesChanged: rules,
  }
}

const noneIgnored = { forced: [], dropped: [] }

async function unknownFiles(
  place: GitPlace,
): Promise<{ readonly paths: readonly string[]; readonly unreadable: readonly Missing[] }> {
  const args = ['ls-files', '-z', '--others', '--exclude-standard']
  const { code, stdout, stderr } = await tryGit(place, args, call)
  if (code !== 0) throw new GitError(args, stderr)
  const closed = [...stderr.matchAll(/^warning: could not open directory '(.*?)\/?': Permission denied$/gm)]
  return {
    paths: records(stdout),
    unreadable: closed.map(([, path = '']) => ({ path, why: 'unreadable' as const })),
  }
}

// Asking which of all known files are ignored takes as long as the scan: only when the answer may be a new one.
async function rulesChanged(
  place: GitPlace,
  { repository }: Project,
  found: readonly string[],
): Promise<boolean> {
  if (found.some((path) => path === '.gitignore' || path.endsWith('/.gitignore'))) return true
  const own = place.env.GIT_INDEX_FILE ?? ''
  const lists = [join(place.env.GIT_DIR ?? '', 'info', 'exclude'), ...(repository ? [repository.index] : [])]
  return (await Promise.all(lists.map((list) => isNewer(list, own)))).some(Boolean)
}

// Ignored files that the person's own git tracks all the same belong to the project; others that we know do not.
async function ignoredFiles(
  place: GitPlace,
  shadow: Shadow,
  { root, repository }: Project,
): Promise<{ readonly forced: readonly string[]; readonly dropped: readonly string[] }> {
  const args = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard']
  const [ours, theirs] = await Promise.all([
    git(place, args, call).then(records),
    repository ? tryGit(shadow.place(repository.index), args, call) : null,
  ])
  const tracked = records(theirs?.stdout ?? '')
  const found = await lookAll(root, tracked)
  const isTracked = new Set(tracked)
  return {
    forced: tracked.filter((_, i) => found[i]),
    dropped: ours.filter((path) => !isTracked.has(path)),
  }
}

export async function isNewer(file: string, than: string): Promise<boolean> {
  const [one, other] = await Promise.all([file, than].map((path) => stat(path).catch(() => null)))
  return one != null && (other == null || one.mtimeMs >= other.mtimeMs)
}
