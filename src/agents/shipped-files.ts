import { createHash } from 'node:crypto'
import { type Dirent, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readTextIfThere } from '../read-regular-file.ts'
import type { ProjectPart } from '../tree/directory-trust.ts'

// What drivers share to find what a project ships for their agents.

/** No project needs more; what lies beyond is not loaded. */
const mostFiles = 500

/** From the top of the project down to a directory in it. */
export const directoriesDownTo = (root: string, directory: string): readonly string[] =>
  directory === root || dirname(directory) === directory
    ? [directory]
    : [...directoriesDownTo(root, dirname(directory)), directory]

/** All files below a directory, by their paths; links are files. */
export function filesBelow(directory: string, found: string[] = []): readonly string[] {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (found.length >= mostFiles) break
    if (entry.isDirectory()) filesBelow(path, found)
    else found.push(path)
  }
  return found
}

export function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** Empty for what cannot be read: its agent cannot read it either. */
export function textAt(path: string): string {
  try {
    return readTextIfThere(path) ?? ''
  } catch {
    return ''
  }
}

/** The part whose text this is. The same in every work tree: paths are below the top. */
export function partOf(
  root: string,
  path: string,
  { agent, kind, name, detail }: Omit<ProjectPart, 'id' | 'file'>,
  text: unknown,
): ProjectPart {
  const file = relative(root, path)
  const said = JSON.stringify([agent, kind, name, file, text])
  return { id: createHash('sha256').update(said).digest('hex'), agent, kind, name, detail, file }
}
