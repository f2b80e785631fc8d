import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { readTextIfThere } from '../../read-regular-file.ts'
import { BoughError } from '../../tree/error.ts'
import { brief, type GitPlace, records, toText, tryGit } from '../git.ts'
import { inRepository, type Project } from '../project.ts'
import { configFilesOf, configHome } from './files-of-git.ts'
import { replaceFile } from './replace-file.ts'

/** What of the person's own git config counts for a snapshot: how objects are named, and which files look different. */
export interface Settings {
  /** What they never want to see, in any project. */
  readonly excludesFile: string
  readonly objectFormat: string | null
  /** Line ends are converted in all files. */
  readonly convertsAll: boolean
  readonly namesAttributes: boolean
  /** Objects that were never fetched are no damage. */
  readonly isPartial: boolean
}

const names =
  '^(core\\.(excludesfile|autocrlf|attributesfile)|extensions\\.(objectformat|partialclone)|remote\\..*\\.promisor|include\\.path|includeif\\..*\\.path)$'

/**
 * Asks git once, and again when one of the files that it reads has changed: a process at both ends of every turn would
 * cost more than the rest of the work. `memory` is where the answer is noted.
 */
export async function readSettings(project: Project, memory: string): Promise<Settings> {
  const place = inRepository(project.root)
  const stamps = stampsOf(project)
  const [noted, ...before] = textOf(memory).split('\0')
  if (noted === stamps && before.at(-1) === 'end') return settingsOf(place, pairs(before.slice(0, -1)))
  const found = await askGit(place)
  // What an included file says, or one that is not there yet, is only known to git.
  const isLasting = ![...found.keys()].some((name) => name.startsWith('include'))
  if (isLasting) replaceFile(memory, [stamps, ...[...found].flat(), 'end'].join('\0'))
  return settingsOf(place, found)
}

// Files that are not there count too: they may come.
const stampsOf = (project: Project): string =>
  [project.root, ...configFilesOf(project).map(stampOf)].join(' ')

/** Tells one state of a file from every other. */
export function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join('.') : '-'
}

/** What a small file says, bytes as latin1; nothing where it is not to be had. */
export const textOf = (file: string): string => readTextIfThere(file, 'latin1', mostText) ?? ''

/** A note about an index names at most as many files as that. */
const mostText = 2 ** 28

async function askGit(place: GitPlace): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const { code, stdout } = await tryGit(place, ['config', '-z', '--get-regexp', names], brief)
  if (code === null)
    throw new BoughError(
      'file_unreadable',
      `git cannot read its config in ${place.cwd}. A file that it includes may be a pipe or a device: look with "git config --show-origin --list".`,
    )
  for (const record of records(stdout)) {
    const end = record.indexOf('\n')
    // A name without a value means yes.
    if (end < 0) found.set(record, 'true')
    else found.set(record.slice(0, end), record.slice(end + 1))
  }
  return found
}

async function settingsOf(place: GitPlace, found: ReadonlyMap<string, string>): Promise<Settings> {
  const isOn = (name: string) => !/^(|false|no|off|0)$/i.test(found.get(name) ?? '')
  return {
    excludesFile: await pathOf(place, found.get('core.excludesfile')),
    objectFormat: found.get('extensions.objectformat') ?? null,
    convertsAll: isOn('core.autocrlf'),
    namesAttributes: found.has('core.attributesfile'),
    isPartial:
      found.has('extensions.partialclone') ||
      [...found.keys()].some((name) => name.endsWith('.promisor') && isOn(name)),
  }
}

async function pathOf(place: GitPlace, value: string | undefined): Promise<string> {
  if (value === undefined) return join(configHome(), 'git', 'ignore')
  if (value.startsWith('~/')) return join(homedir(), toText(value.slice(2)))
  if (!/^[~%]/.test(value)) return resolve(place.cwd, toText(value))
  // Somebody else's home, or where git is installed.
  const { stdout } = await tryGit(place, ['config', '-z', '--type=path', '--get', 'core.excludesFile'], brief)
  return resolve(place.cwd, toText(records(stdout)[0] ?? ''))
}

function pairs(flat: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let i = 0; i + 1 < flat.length; i += 2) found.set(flat[i] ?? '', flat[i + 1] ?? '')
  return found
}
