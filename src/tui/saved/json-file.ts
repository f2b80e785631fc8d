import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

// Small files of the terminal UI's own. They are written at once: also while the program is being ended, when nobody waits
// for promises any more.

/** What a file says; undefined where there is none, or a damaged one. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Written aside and renamed: whoever reads it finds the old one or the new one, never half of one. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const aside = `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
  try {
    writeFileSync(aside, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}
