import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitPlace, startScript } from './git.ts'

/**
 * Commits all that is in a directory of ours, which becomes a repository where it is none; resolves with whether it did. Where
 * git is not there, or does not want to, everything stays as it was.
 */
export async function commitAll(directory: string, subject: string): Promise<boolean> {
  const gitDir = join(directory, '.git')
  const isNew = !existsSync(gitDir)
  const { code } = await startScript(place(directory), script)(`${subject}\n`)
  if (code === 0) return true
  if (isNew) await rm(gitDir, { recursive: true, force: true })
  return false
}

const script = `
  git -c init.defaultBranch=main init -q --template=
  git add -f .
  git commit -q --no-verify --no-gpg-sign -F -`

// Nothing of the person's counts: neither who they are, nor what they sign, ignore, or put into every repository.
const place = (cwd: string): GitPlace => ({
  cwd,
  env: {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: address,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: address,
  },
})

const name = 'bough'
const address = 'bough@localhost'
