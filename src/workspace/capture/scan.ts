import { existsSync } from 'node:fs'
import type { Missing } from '../../tree/snapshot.ts'
import { GitError, type GitPlace, git, lookingThrough, records, tryGit, tryPair } from '../git.ts'
import { isRules } from '../gitignore.ts'
import type { Project } from '../project.ts'
import { lookAll } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'

export interface ScanBefore {
  /** What is ignored has to be found out anew. */
  readonly rulesChanged: boolean
  /** Files that the person's git tracks though they are ignored, and that were not there. */
  readonly absent: readonly string[]
  /** Hears of known files that changed while unknown ones are still looked for. */
  changed?(paths: readonly string[]): void
}

export interface Scan {
  /** To hash or to remove. A nested repository ends with a slash. */
  readonly changed: readonly string[]
  /** Ignored, and tracked all the same: to hash, though no scan of unknown files shows them. */
  readonly forced: readonly string[]
  /** Known, and ignored by now. */
  readonly dropped: readonly string[]
  /** As before, as they are now. */
  readonly absent: readonly string[]
  readonly unreadable: readonly Missing[]
  readonly rulesChanged: boolean
}

/** Known files that changed or went, and unknown ones that are not ignored. */
export async function scan(
  place: GitPlace,
  shadow: Shadow,
  project: Project,
  before: ScanBefore,
): Promise<Scan> {
  const { changed, others } = await lookThrough(place, before.changed)
  const found = [...changed, ...others.paths]
  const rulesChanged = before.rulesChanged || found.some(isRules)
  const { tracked, dropped } = rulesChanged
    ? await ignoredFiles(place, shadow, project)
    : { tracked: before.absent, dropped: [] }
  const there = await lookAll(project.root, tracked)
  const gone = new Set(dropped)
  return {
    changed: [...new Set(found)].filter((path) => !gone.has(path)),
    forced: tracked.filter((_, i) => there[i]),
    dropped,
    absent: tracked.filter((_, i) => !there[i]),
    unreadable: others.unreadable,
    rulesChanged,
  }
}

interface Others {
  readonly paths: readonly string[]
  readonly unreadable: readonly Missing[]
}

async function lookThrough(
  place: GitPlace,
  heard: ScanBefore['changed'],
): Promise<{ readonly changed: readonly string[]; readonly others: Others }> {
  const known = ['diff-files', '-z', '--name-only', '--ignore-submodules=all']
  const unknown = ['ls-files', '-z', '--others', '--exclude-standard']
  const { first, end } = tryPair(place, known, unknown, lookingThrough)
  if (heard) first.then((output) => heard(records(output)))
  const { code, stdout, second, stderr } = await end
  if (code !== 0) throw new GitError(['diff-files', 'ls-files'], stderr)
  const closed = [...stderr.matchAll(/^warning: could not open directory '(.*?)\/?': Permission denied$/gm)]
  const unreadable = closed.map(([, path = '']) => ({ path, why: 'unreadable' as const }))
  return { changed: records(stdout), others: { paths: records(second), unreadable } }
}

// Ignored files that the person's own git tracks all the same belong to the project; others that we know do not.
async function ignoredFiles(
  place: GitPlace,
  shadow: Shadow,
  { repository }: Project,
): Promise<{ readonly tracked: readonly string[]; readonly dropped: readonly string[] }> {
  const args = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard']
  const [ours, theirs] = await Promise.all([
    git(place, args, lookingThrough).then(records),
    repository ? tryGit(shadow.place(repository.index), args, lookingThrough) : null,
  ])
  // One that cannot be read (split anew, say) does not mean that nothing is tracked.
  if (repository && theirs && theirs.code !== 0 && existsSync(repository.index)) {
    throw new GitError(args, theirs.stderr)
  }
  const tracked = records(theirs?.stdout ?? '')
  const isTracked = new Set(tracked)
  return { tracked, dropped: ours.filter((path) => !isTracked.has(path)) }
}
