import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where bough keeps its things: all under `$BOUGH_HOME`, else in the XDG directories. */
export interface Home {
  readonly data: string
  readonly config: string
}

export function findHome(env: NodeJS.ProcessEnv): Home {
  if (env.BOUGH_HOME) {
    const root = resolve(env.BOUGH_HOME)
    return { data: root, config: join(root, 'config.json') }
  }
  const data = env.XDG_DATA_HOME || join(homedir(), '.local', 'share')
  const config = env.XDG_CONFIG_HOME || join(homedir(), '.config')
  return { data: join(data, 'bough'), config: join(config, 'bough', 'config.json') }
}
