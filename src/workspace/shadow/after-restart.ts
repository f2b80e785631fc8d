import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { thisProcess } from '../../process-identity.ts'
import { replaceFile } from './replace-file.ts'
import { textOf } from './settings.ts'

// Single objects are not forced to the disk one by one, as git does not either: it would take longer than all the rest of
// a capture. The system writes them within half a minute. So after a power cut the last ones may be empty or cut off,
// under their right names, where every later capture would believe in them.

/** What is older than this, when the machine stopped, was on the disk. */
const unwritten = 60_000

/** Before a shadow is first used after the machine was started again: removes objects that did not get to the disk. */
export function checkAfterRestart(directory: string): void {
  const noted = join(directory, 'started')
  const { machine } = thisProcess()
  const before = textOf(noted)
  if (before === machine) return
  if (before !== '') {
    removeBroken(join(directory, 'objects'))
    // They know objects by name only, and would not miss one.
    for (const name of readdirSync(join(directory, 'indexes'))) {
      rmSync(join(directory, 'indexes', name), { force: true })
    }
  }
  replaceFile(noted, machine)
}

function removeBroken(objects: string): void {
  const loose = readdirSync(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((group) => readdirSync(join(objects, group)).map((name) => ({ group, name })))
    .map(({ group, name }) => ({ id: group + name, path: join(objects, group, name) }))
    .map((object) => ({ ...object, time: lstatSync(object.path).mtimeMs }))
  // One by one: there may be more of them than a call takes arguments.
  const newest = loose.reduce((latest, { time }) => Math.max(latest, time), 0)
  for (const { id, path, time } of loose) {
    if (time >= newest - unwritten && !isWhole(id, path)) rmSync(path, { force: true })
  }
}

function isWhole(id: string, path: string): boolean {
  try {
    const algorithm = id.length === 64 ? 'sha256' : 'sha1'
    return (
      createHash(algorithm)
        .update(inflateSync(readFileSync(path)))
        .digest('hex') === id
    )
  } catch {
    return !existsSync(path)
  }
}
