import { BoughError } from '../tree/error.ts'
import type { FileChange, FilesDiff, FilesState } from '../tree/file-change.ts'
import { fromText, git, records, toBytes, toText } from './git.ts'
import { inShadow } from './shadow/in-shadow.ts'
import { Shadow } from './shadow/shadow.ts'

/** How the files differ between two states. */
export async function diffFiles(dataDirectory: string, from: FilesState, to: FilesState): Promise<FilesDiff> {
  for (const { freed, created } of [from, to]) if (freed) throw cleanedUp(created)
  if (from.projectID !== to.projectID) {
    throw new BoughError('bad_input', `These are files of two projects: ${from.root} and ${to.root}.`)
  }
  const place = inShadow(Shadow.directoryOf(dataDirectory, { id: from.projectID }))
  const trees = [from.tree, to.tree]
  const [names, patch] = await Promise.all([
    git(place, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', ...trees]),
    git(place, [
      'diff-tree',
      '-r',
      '-p',
      '--no-renames',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      ...trees,
    ]),
  ])
  const text = toText(patch)
  const isText = fromText(text) === patch
  return {
    ...{ from, to, changes: changesOf(records(names)), patch: text },
    ...(!isText && { patchBytes: toBytes(patch).toString('base64') }),
  }
}

const cleanedUp = (created: number): BoughError =>
  new BoughError(
    'not_found',
    `The files of ${new Date(created).toISOString().slice(0, 10)} have been cleaned up; only newer ones can be compared.`,
  )

const words: Readonly<Record<string, FileChange['change']>> = { A: 'added', D: 'deleted' }

function changesOf(fields: readonly string[]): readonly FileChange[] {
  const changes: FileChange[] = []
  for (let i = 0; i + 1 < fields.length; i += 2) {
    changes.push({ path: toText(fields[i + 1] ?? ''), change: words[fields[i] ?? ''] ?? 'changed' })
  }
  return changes
}
