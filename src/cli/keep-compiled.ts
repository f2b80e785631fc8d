import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { findHome } from '../home.ts'

/**
 * Keeps what was compiled for the next start, which is a good deal faster then. It stands beside bough's own data: agents may not
 * write there, and what lies there is run. Where there is no data yet, none is made for this.
 */
export function keepCompiled(env: NodeJS.ProcessEnv): void {
  try {
    const { data } = findHome(env)
    if (existsSync(data)) enableCompileCache(join(data, 'compiled'))
  } catch {
    // Whoever needs the home next says what is wrong with it.
  }
}
