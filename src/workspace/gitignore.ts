import { GitError, type GitPlace, lookingThrough, records, tryGit } from './git.ts'
import { joined } from './raw-path.ts'

/** Is it a list of what to ignore? */
export const isRules = (path: string): boolean => path === '.gitignore' || path.endsWith('/.gitignore')

/** Which of these paths are ignored, tracked or not. */
export async function ignoredAmong(place: GitPlace, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const args = ['check-ignore', '-z', '--no-index', '--stdin']
  // This command wants no literal paths; one that begins like this has no other meaning.
  const plain = { ...place, env: { ...place.env, GIT_LITERAL_PATHSPECS: '0' } }
  const input = joined(paths.map((path) => `./${path}`))
  const { code, stdout, stderr } = await tryGit(plain, args, { input, ...lookingThrough })
  // 1 is none of them.
  if (code !== 0 && code !== 1) throw new GitError(args, stderr)
  return records(stdout).map((path) => path.slice(2))
}
