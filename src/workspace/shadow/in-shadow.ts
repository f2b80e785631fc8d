import type { GitPlace } from '../git.ts'

/** Only its own directory and config: no files, no index, nothing of the person's. */
export const inShadow = (directory: string): GitPlace => ({
  cwd: directory,
  env: { GIT_DIR: directory, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
})
