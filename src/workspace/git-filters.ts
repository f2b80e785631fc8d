import { records, toText, tryGit } from './git.ts'
import { inRepository } from './project.ts'

/**
 * Names of the filters in a repository's own config. git runs their commands even for a plain status; those of the person's
 * own config are theirs.
 */
export async function gitFilters(directory: string): Promise<readonly string[]> {
  const asked = ['--show-scope', '-z', '--name-only', '--includes', '--get-regexp', '^filter\\.']
  const { stdout } = await tryGit(inRepository(directory), ['config', ...asked])
  const found = records(stdout)
  const names = found.flatMap((name, i) => (i % 2 === 1 && ownScopes.has(found[i - 1] ?? '') ? [name] : []))
  return [
    ...new Set(
      names.map((name) =>
        toText(name)
          .replace(/^filter\./, '')
          .replace(/\.[^.]*$/, ''),
      ),
    ),
  ]
}

const ownScopes = new Set(['local', 'worktree'])
