import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Missing } from '../../tree/snapshot.ts'
import { fromText, toText } from '../git.ts'
import { replaceFile } from '../shadow/replace-file.ts'
import { textOf } from '../shadow/settings.ts'

/** What the last capture knew beside its index, so that the next need not find it out again. */
export interface Note {
  /** The tree of the index itself. Files that differ from it may be in the last capture's tree only. */
  readonly indexTree: string
  /** What the last capture gave. */
  readonly tree: string
  /** Tells by which changes it differs from the index's; empty for none. */
  readonly differsBy: string
  /** The files that it differs by: mostly those that somebody works on, and will go on with. */
  readonly differing: readonly string[]
  readonly missing: readonly Missing[]
  /** Which rules for ignoring files were in force. */
  readonly rules: string
  /** Files that the person's git tracks though they are ignored, and that were not there. */
  readonly absent: readonly string[]
  /** The index may have links to other repositories. */
  readonly mayHaveLinks: boolean
}

/** Of a note that was written whole, and in this form. */
const theEnd = 'end 2'

/** Null when there is none for this very index: two captures at once may have left one each. */
export function readNote(path: string, index: string): Note | null {
  const [
    about,
    indexTree = '',
    tree = '',
    differsBy = '',
    rules = '',
    links = '',
    absentCount = '',
    differingCount = '',
    ...rest
  ] = textOf(path).split('\0')
  if (about !== checksumOf(index) || rest.pop() !== theEnd) return null
  const absent = rest.splice(0, Number(absentCount))
  const differing = rest.splice(0, Number(differingCount))
  return {
    indexTree,
    tree,
    differsBy,
    rules,
    mayHaveLinks: links === 'links',
    absent,
    differing,
    missing: toMissing(rest),
  }
}

export function writeNote(path: string, index: string, note: Note): void {
  const { indexTree, tree, differsBy, rules, mayHaveLinks, absent, differing, missing } = note
  const fields = [
    ...[checksumOf(index), indexTree, tree, differsBy, rules, mayHaveLinks ? 'links' : ''],
    ...[String(absent.length), String(differing.length), ...absent, ...differing],
    ...missing.flatMap(({ path, why }) => [why, fromText(path)]),
    theEnd,
  ]
  const text = fields.join('\0')
  if (textOf(path) !== text) replaceFile(path, text)
}

const reasons: readonly Missing['why'][] = [
  'nested repository',
  'dirty submodule',
  'too large',
  'changing',
  'unreadable',
]

function toMissing(fields: readonly string[]): readonly Missing[] {
  const missing: Missing[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const why = reasons.find((reason) => reason === fields[i])
    if (why) missing.push({ path: toText(fields[i + 1] ?? ''), why })
  }
  return missing
}

// An index ends with a hash of all that is in it: 20 bytes, or the last 20 of 32.
function checksumOf(index: string): string {
  const file = openSync(index, 'r')
  try {
    const { size } = fstatSync(file)
    const end = Buffer.alloc(20)
    readSync(file, end, 0, end.length, Math.max(0, size - end.length))
    return end.toString('hex')
  } finally {
    closeSync(file)
  }
}
