import { statSync } from 'node:fs'
import { readRegularFile } from '../../read-regular-file.ts'
import { type GitPlace, git, records } from '../git.ts'

/** A file as a git index has it. */
export interface IndexEntry {
  readonly path: string
  readonly mode: number
  /** Only few are asked for it, and it takes longest. */
  object(): string
  /** Somebody told git that it does not change. */
  readonly isAssumed: boolean
  /** A sparse checkout left it out. */
  readonly isLeftOut: boolean
}

export const isRegular = ({ mode }: IndexEntry): boolean => mode >> 12 === 0o10

export interface IndexFile {
  readonly entries: readonly IndexEntry[]
  /** Some files are as young as the index, or it cannot be told: git reads these again every time. */
  readonly isDoubtful: boolean
}

/** Enough for ten million files. */
export const largestIndex = 2 ** 30

/** Reads the index of a place; one that is split or sparse with git's help, which takes longer. */
export async function readIndex(place: GitPlace): Promise<IndexFile> {
  const index = place.env.GIT_INDEX_FILE ?? ''
  const written = Math.floor(statSync(index).mtimeMs / 1000)
  return (
    parse(readRegularFile(index, largestIndex), written) ?? { entries: await askGit(place), isDoubtful: true }
  )
}

async function askGit(place: GitPlace): Promise<readonly IndexEntry[]> {
  return records(await git(place, ['ls-files', '-z', '-v', '--stage'])).map((record) => {
    const [, tag = '', mode = '', object = '', path = ''] = /^(.) (\d+) (\w+) \d\t(.*)$/s.exec(record) ?? []
    return {
      path,
      mode: Number.parseInt(mode, 8),
      object: () => object,
      isAssumed: tag !== tag.toUpperCase(),
      isLeftOut: tag.toUpperCase() === 'S',
    }
  })
}

const header = 12
/** Where things stand in an entry whose object's name has `idLength` bytes. */
const at = { modified: 8, mode: 24, object: 40 }
const flag = { assumed: 0x8000, extended: 0x4000, leftOut: 0x4000 }
/** How long the name is; one that does not fit is longer. */
const nameLength = 0xfff

// Null for what it does not know.
function parse(content: Buffer, written: number): IndexFile | null {
  // Where all is read as one format, the end of the entries tells whether it was the right one.
  return parseAs(content, written, 20) ?? parseAs(content, written, 32)
}

function parseAs(content: Buffer, written: number, idLength: number): IndexFile | null {
  const version = content.readUInt32BE(4)
  if (content.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return null
  const count = content.readUInt32BE(8)
  const text = content.toString('latin1')
  const entries: IndexEntry[] = []
  let isDoubtful = false
  let before = ''
  let next = header
  for (let i = 0; i < count; i++) {
    const start = next
    const flagsAt = start + at.object + idLength
    if (flagsAt + 4 > content.length) return null
    const flags = content.readUInt16BE(flagsAt)
    const isExtended = version > 2 && (flags & flag.extended) !== 0
    const more = isExtended ? content.readUInt16BE(flagsAt + 2) : 0
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    let path = ''
    if (version === 4) {
      const [strip, length] = readOffset(content, nameAt)
      nameAt += length
      path = before.slice(0, before.length - strip)
    }
    const length = flags & nameLength
    const end = version < 4 && length < nameLength ? nameAt + length : text.indexOf('\0', nameAt)
    if (end < 0) return null
    path += text.slice(nameAt, end)
    next = version === 4 ? end + 1 : start + ((end - start + 8) & ~7)
    before = path
    if (content.readUInt32BE(start + at.modified) >= written) isDoubtful = true
    entries.push({
      path,
      mode: content.readUInt32BE(start + at.mode),
      object: () => content.toString('hex', start + at.object, flagsAt),
      isAssumed: (flags & flag.assumed) !== 0,
      isLeftOut: (more & flag.leftOut) !== 0,
    })
  }
  return isPlainEnd(content, next, content.length - idLength) ? { entries, isDoubtful } : null
}

// A number as git writes how much of the name before is not in this one.
function readOffset(content: Buffer, start: number): readonly [value: number, length: number] {
  let byte = content[start] ?? 0
  let value = byte & 127
  let length = 1
  while (byte & 128) {
    byte = content[start + length++] ?? 0
    value = ((value + 1) << 7) + (byte & 127)
  }
  return [value, length]
}

// Parts with a capital may be skipped; the others (another file has the rest, directories instead of files) may not.
function isPlainEnd(content: Buffer, from: number, end: number): boolean {
  let next = from
  while (next + 8 <= end) {
    if (!/^[A-Z]/.test(content.toString('latin1', next, next + 4))) return false
    next += 8 + content.readUInt32BE(next + 4)
  }
  return next === end
}
