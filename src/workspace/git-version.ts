import { git } from './git.ts'

/** Of the git that bough runs; null where there is none. */
export async function gitVersion(): Promise<string | null> {
  try {
    const said = await git({ cwd: '/', env: {} }, ['--version'])
    return said.trim().replace(/^git version /, '')
  } catch {
    return null
  }
}
