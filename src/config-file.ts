import { realpath, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeOwnDirectory } from './home.ts'
import { readRegularFile } from './read-regular-file.ts'
import { BoughError, hasCode, messageOf } from './tree/error.ts'

/** What the file of the options says, right or wrong. */
export type Stored = Readonly<Record<string, unknown>>

export const isRecord = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined where there is no file. */
export async function readStored(file: string): Promise<unknown> {
  let text: string
  try {
    text = readRegularFile(file).toString()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    if (hasCode(cause, 'file_unreadable')) throw invalid(cause.message, cause)
    throw invalid(`${file} cannot be read (${messageOf(cause)}). Make it a file that you can read.`, cause)
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(
      `${file} is not valid JSON (${messageOf(cause)}). Correct it, or delete it to start over.`,
      cause,
    )
  }
}

export const writeStored = (file: string, stored: Stored): Promise<void> =>
  replaceFile(file, `${JSON.stringify(stored, null, 2)}\n`)

export function withOption(stored: Stored, [head = '', ...rest]: readonly string[], value: unknown): Stored {
  const { [head]: old, ...others } = stored
  return { ...others, [head]: rest.length === 0 ? value : withOption(isRecord(old) ? old : {}, rest, value) }
}

/** However it is written: in groups, or with dots in its name. A group that has lost its last option goes too. */
export function withoutKey(stored: Stored, steps: readonly string[]): Stored {
  let left = stored
  for (const [i] of steps.entries()) {
    const { [steps.slice(0, i + 1).join('.')]: old, ...others } = left
    const below = steps.slice(i + 1)
    if (old === undefined) continue
    if (below.length === 0) return others
    if (!isRecord(old)) continue
    const next = withoutKey(old, below)
    left = Object.keys(next).length === 0 ? others : { ...left, [steps.slice(0, i + 1).join('.')]: next }
  }
  return left
}

// Written aside and renamed, so that a reader finds the old file or the new one, and never half of one.
async function replaceFile(path: string, text: string): Promise<void> {
  try {
    makeOwnDirectory(dirname(path))
    // People link such files into place from elsewhere: the link must stay.
    const file = await realpath(path).catch(() => path)
    const aside = `${file}.${crypto.randomUUID()}`
    try {
      await writeFile(aside, text, { mode: 0o600, flush: true })
      await rename(aside, file)
    } catch (error) {
      await rm(aside, { force: true })
      throw error
    }
  } catch (cause) {
    throw invalid(`${path} cannot be written (${messageOf(cause)}). Make its directory writable.`, cause)
  }
}

export const invalid = (message: string, cause?: unknown): BoughError =>
  new BoughError('config_invalid', message, { cause })
