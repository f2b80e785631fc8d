import { mkdirSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { BoughError } from './tree/error.ts'

/** Where bough keeps its things: all under `$BOUGH_HOME`, else in the XDG directories. */
export interface Home {
  readonly data: string
  readonly config: string
}

export function findHome(env: NodeJS.ProcessEnv): Home {
  if (env.BOUGH_HOME) {
    if (env.BOUGH_HOME.startsWith('~')) {
      throw new BoughError(
        'bad_input',
        `BOUGH_HOME is "${env.BOUGH_HOME}", but nothing replaces that ~. Write the whole path.`,
      )
    }
    const root = resolve(env.BOUGH_HOME)
    return { data: root, config: join(root, 'config.json') }
  }
  // A relative path would mean another place in every directory: the XDG rules say to ignore it.
  const absolute = (path: string | undefined): string | null => (path && isAbsolute(path) ? path : null)
  const home = absolute(homedir()) ?? userInfo().homedir
  const data = absolute(env.XDG_DATA_HOME) ?? join(home, '.local', 'share')
  const config = absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
  return { data: join(data, 'bough'), config: join(config, 'bough', 'config.json') }
}

/** bough's own files and directories, which are closed to agents: also those of the usual home, beside another one. */
export function ownDataOf(home: Home): readonly string[] {
  const usual = findHome({ ...process.env, BOUGH_HOME: '' })
  return [home, usual].flatMap(({ data, config }) => [data, dirname(config), config])
}

/** The person's home directories: the one that their shell names, and the one that the system knows. */
export function personHomes(): readonly string[] {
  const known = (): string => {
    try {
      return userInfo().homedir
    } catch {
      // A user whom the system has no entry for, as in containers.
      return ''
    }
  }
  return [...new Set([homedir(), known()])].filter(isAbsolute)
}

/** Makes a directory that only the person can look into. Not with `recursive`: under /proc, for one, that never comes back. */
export function makeOwnDirectory(path: string): void {
  const isThere = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (isThere()) return
  if (dirname(path) !== path) makeOwnDirectory(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody else was faster.
    if (!isThere()) throw error
  }
}
