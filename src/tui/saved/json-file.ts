import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readRegularFile } from '../../read-regular-file.ts'

// Small files of the terminal UI's own. They can be written at once: also while the program is being ended, when nobody
// waits for promises any more.

/** What a file says; undefined where there is none, or a damaged one. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readRegularFile(path).toString())
  } catch {
    return undefined
  }
}

/** Written aside and renamed: whoever reads it finds the old one or the new one, never half of one. */
export function writeJson(path: string, value: unknown): void {
  const aside = asideOf(path)
  try {
    writeFileSync(aside, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
}

/** The same without anybody waiting for the disk. `isWanted` is asked at the end: something newer may be there by then. */
export async function writeJsonSoon(path: string, value: unknown, isWanted: () => boolean): Promise<boolean> {
  const aside = asideOf(path)
  try {
    await writeFile(aside, `${JSON.stringify(value)}\n`, { mode: 0o600 })
    if (isWanted()) {
      renameSync(aside, path)
      return true
    }
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
  await rm(aside, { force: true })
  return false
}

function asideOf(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return `${path}.${process.pid}-${crypto.randomUUID().slice(0, 8)}`
}
