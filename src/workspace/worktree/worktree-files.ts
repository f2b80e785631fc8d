import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile, readTextIfThere } from '../../read-regular-file.ts'
import { alternates } from '../alternates.ts'
import { brief, GitError, type GitPlace, records, startScript, tryGit } from '../git.ts'
import { inRepository, type Project } from '../project.ts'
import type { Shadow } from '../shadow/shadow.ts'
import type { Worktree } from './worktree.ts'

// A new worktree gets its files from git with the git directory of its own entry, so that its index and what a sparse
// checkout leaves out are its own; all else (config, attributes, objects) comes from a common directory of ours. So
// nothing that the person's config names is run.

/** Later than any file: git takes files that are not older than the index for suspects and would read them all again. */
const later = '203712310000'

/** The files of a snapshot, byte for byte; what was not as in the commit is uncommitted again. */
export async function fillFromSnapshot(
  shadow: Shadow,
  { repository }: Project,
  { path, commit }: Worktree,
  entry: string,
  tree: string,
): Promise<void> {
  const index = join(entry, 'index')
  const { env } = shadow.place(index, path)
  const place = {
    cwd: path,
    env: {
      ...env,
      GIT_DIR: entry,
      GIT_COMMON_DIR: shadow.directory,
      // The commit is only in the person's own.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates(join(repository?.commonDir ?? '', 'objects')),
    },
  }
  const sparse = await isSparse(entry)
  const changed = `git diff-tree -r -z --name-only --no-renames --diff-filter=d ${commit} ${tree}`
  await run(place, [
    readTree(sparse, '-u', tree),
    // Changes to files that would be left out are there all the same.
    sparse && `${changed} | git update-index -z --no-skip-worktree --stdin`,
    sparse && `${changed} | git checkout-index -z -f -u --stdin`,
    `git diff-tree --quiet ${commit} ${tree} && exit`,
    // From here on the index is about the commit, and knows the files that are as in it.
    `touch -t ${later} "$GIT_INDEX_FILE"`,
    readTree(false, '-i', commit),
  ])
}

/**
 * The commit's own files, as git itself would write them (line ends, encodings), but for filters: those are programs
 * that the config names. Their files stay as they are committed.
 */
export async function fillFromCommit(
  shadow: Shadow,
  project: Project,
  { path, commit }: Worktree,
  entry: string,
): Promise<void> {
  const common = join(entry, 'bough')
  await makeCommonDir(common, shadow, project)
  const { env } = shadow.place(join(entry, 'index'), path)
  const objects = join(project.repository?.commonDir ?? '', 'objects')
  const place = {
    cwd: path,
    env: { ...env, GIT_DIR: entry, GIT_COMMON_DIR: common, GIT_OBJECT_DIRECTORY: objects },
  }
  await run(place, [readTree(await isSparse(entry), '-u', commit)])
  await rm(common, { recursive: true })
}

async function run(place: GitPlace, lines: readonly (string | false)[]): Promise<void> {
  const script = lines.filter((line) => line !== false)
  const { code, stderr } = await startScript(place, script.join('\n'))('')
  if (code !== 0) throw new GitError(['read-tree'], stderr)
}

// The second version of the index: not every program that people use reads newer ones.
const readTree = (sparse: boolean, how: string, tree: string): string =>
  `git -c index.version=2 -c core.sparseCheckout=${sparse} -c core.sparseCheckoutCone=false read-tree -m ${how} ${tree}`

// git takes these over from the work tree that is forked, where they count there.
const isSparse = async (entry: string): Promise<boolean> =>
  (await stat(join(entry, 'info', 'sparse-checkout')).catch(() => null)) !== null

// The person's attributes, and of their config only how git itself converts: a filter that no config names does nothing.
async function makeCommonDir(
  directory: string,
  shadow: Shadow,
  { root, repository }: Project,
): Promise<void> {
  const settings = await conversionSettings(root)
  const attributes = readTextIfThere(join(repository?.commonDir ?? '', 'info', 'attributes'), 'latin1') ?? ''
  const config = readRegularFile(join(shadow.directory, 'config')).toString('latin1')
  for (const each of ['refs', 'info']) await mkdir(join(directory, each), { recursive: true })
  await writeFile(join(directory, 'config'), config + settings, 'latin1')
  await writeFile(join(directory, 'info', 'attributes'), attributes, 'latin1')
}

async function conversionSettings(root: string): Promise<string> {
  const names = '^core\\.(autocrlf|eol|attributesfile)$'
  const { stdout } = await tryGit(
    inRepository(root),
    ['config', '-z', '--type=path', '--get-regexp', names],
    brief,
  )
  const lines = records(stdout).map((record) => {
    const [name = '', value = 'true'] = record.split('\n')
    return `\t${name.replace('core.', '')} = ${JSON.stringify(value)}\n`
  })
  return `[core]\n${lines.join('')}`
}
