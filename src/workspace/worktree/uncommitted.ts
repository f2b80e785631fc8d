import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { alternates } from '../alternates.ts'
import { brief, type GitPlace, git, lookingThrough, records, tryGit } from '../git.ts'
import { inRepository, type Project } from '../project.ts'
import { joined } from '../raw-path.ts'
import type { Shadow } from '../shadow/shadow.ts'

// A snapshot has files as they lie on disk, a commit has them as git converts them. So files that differ are not all
// uncommitted: some have other line ends than their blobs, and git-lfs puts a pointer in the place of large ones.

/** How many files of a tree are not as in a commit. */
export async function countUncommitted(
  shadow: Shadow,
  project: Project,
  commit: string,
  tree: string,
): Promise<number> {
  const place = withObjectsOf(project, shadow)
  const changes = changesOf(
    records(await git(place, ['diff-tree', '-r', '-z', '--no-renames', commit, tree])),
  )
  const edited = changes.filter(({ modes, status }) => status === 'M' && /^100(\d+) 100\1$/.test(modes))
  return changes.length - (edited.length > 0 ? await countConverted(place, project, edited) : 0)
}

interface Change {
  readonly modes: string
  readonly committed: string
  readonly present: string
  readonly status: string
  readonly path: string
}

function withObjectsOf({ root, repository }: Project, shadow: Shadow): GitPlace {
  const { cwd, env } = shadow.place(join(shadow.directory, 'no-index'), root)
  const objects = alternates(join(repository?.commonDir ?? '', 'objects'))
  return { cwd, env: { ...env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } }
}

function changesOf(fields: readonly string[]): readonly Change[] {
  const changes: Change[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [from = '', to = '', committed = '', present = '', status = ''] = (fields[i] ?? '')
      .slice(1)
      .split(' ')
    changes.push({ modes: `${from} ${to}`, committed, present, status, path: fields[i + 1] ?? '' })
  }
  return changes
}

async function countConverted(place: GitPlace, project: Project, edited: readonly Change[]): Promise<number> {
  const conversions = await conversionsOf(project, edited)
  const doubtful = edited.filter(({ path }) => conversions.has(path))
  let converted = 0
  for (const some of await ofBearableSize(place, doubtful)) {
    const ids = some.flatMap(({ committed, present }) => [committed, present])
    const blobs = await readBlobs(place, ids)
    for (const [i, { path }] of some.entries()) {
      const [committed, present] = [blobs[2 * i] ?? '', blobs[2 * i + 1] ?? '']
      const isSame = conversions.get(path) === 'text' ? isSameText : isPointerTo
      if (isSame(committed, present)) converted++
    }
  }
  return converted
}

// What the attributes say now; those of the snapshot may have been others.
async function conversionsOf(
  { root, repository }: Project,
  edited: readonly Change[],
): Promise<ReadonlyMap<string, 'text' | 'filter'>> {
  const there = { cwd: root, env: { GIT_DIR: repository?.gitDir ?? '', GIT_WORK_TREE: root } }
  const input = joined(edited.map(({ path }) => path))
  const [answers, autocrlf] = await Promise.all([
    git(there, ['check-attr', '-z', '--stdin', 'text', 'eol', 'filter'], { input, ...lookingThrough }).then(
      records,
    ),
    tryGit(inRepository(root), ['config', 'core.autocrlf'], brief),
  ])
  const always = !/^(false)?\s*$/.test(autocrlf.stdout)
  const found = new Map<string, 'text' | 'filter'>()
  for (let i = 0; i + 2 < answers.length; i += 3) {
    const [path = '', name = '', value = ''] = answers.slice(i, i + 3)
    const isSet = value !== 'unspecified' && value !== 'unset'
    if (name === 'filter' && isSet) found.set(path, 'filter')
    else if (isSet || (name === 'text' && value === 'unspecified' && always)) found.set(path, 'text')
  }
  return found
}

// Only what git surely converts: not what may be binary, and nothing where line ends were committed as they are.
const isSameText = (committed: string, present: string): boolean =>
  !/\0|\r(?!\n)/.test(present) && present.replaceAll('\r\n', '\n') === committed

// As git-lfs writes them. What other filters would make of a file only they know: it counts as uncommitted.
function isPointerTo(committed: string, present: string): boolean {
  const [, oid] =
    /^version https:\/\/git-lfs\.\S+\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/.exec(committed) ?? []
  return oid !== undefined && oid === createHash('sha256').update(present, 'latin1').digest('hex')
}

/** So many bytes are held at once. */
const batch = 1 << 25

async function ofBearableSize(
  place: GitPlace,
  changes: readonly Change[],
): Promise<readonly (readonly Change[])[]> {
  if (changes.length === 0) return []
  const input = changes.map(({ present }) => `${present}\n`).join('')
  const sizes = (await git(place, ['cat-file', '--batch-check=%(objectsize)'], { input })).split('\n')
  const groups: Change[][] = [[]]
  let bytes = 0
  for (const [i, change] of changes.entries()) {
    const size = Number(sizes[i])
    if (bytes > 0 && bytes + size > batch) {
      groups.push([])
      bytes = 0
    }
    bytes += size
    groups.at(-1)?.push(change)
  }
  return groups
}

async function readBlobs(place: GitPlace, ids: readonly string[]): Promise<readonly string[]> {
  const output = await git(place, ['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') })
  const blobs: string[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at)
    const size = Number(/ (\d+)$/.exec(output.slice(at, end))?.[1] ?? Number.NaN)
    // One that is missing has no size, and no content after its line.
    const length = Number.isNaN(size) ? -1 : size
    blobs.push(output.slice(end + 1, end + 1 + Math.max(length, 0)))
    at = end + 1 + length + 1
  }
  return blobs
}
