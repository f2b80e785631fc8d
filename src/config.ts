import type { Home } from './home.ts'

/** The person's own options, in one JSON file. Every one has a default. */
export interface Config {
  /** The agent of new sessions. */
  readonly agent: string
  readonly model: string | null
  readonly permissions: {
    /** Tools that need no asking: `run`, or `run(git status*)` for those whose detail begins so. */
    readonly allow: readonly string[]
    readonly deny: readonly string[]
    /** Seconds until a question that nobody answers is denied. */
    readonly timeout: number
  }
}

export async function readConfig(_home: Home): Promise<Config> {
  throw new Error('not written yet')
}
/** Sets one option, named as in the file (`permissions.timeout`); a value of undefined puts the default back. */
export async function writeConfig(_home: Home, _key: string, _value: string | undefined): Promise<Config> {
  throw new Error('not written yet')
}
