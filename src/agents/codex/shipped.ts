import { basename, dirname, join } from 'node:path'
import type { ProjectPart } from '../../tree/directory-trust.ts'
import { directoriesDownTo, entriesOf, filesBelow, partOf, textAt } from '../shipped-files.ts'

/** What Codex would load of a project: its settings with servers and hooks, rules, and skills. */
export function shippedForCodex(root: string, cwd: string): readonly ProjectPart[] {
  return directoriesDownTo(root, cwd).flatMap((directory) => [
    ...filesBelow(join(directory, '.codex'))
      .filter((path) => !path.startsWith(join(directory, '.codex', 'skills/')))
      .map((path) => filePart(root, path)),
    ...skillsIn(join(directory, '.codex', 'skills')).map((path) => skillPart(root, path)),
    ...skillsIn(join(directory, '.agents', 'skills')).map((path) => skillPart(root, path)),
  ])
}

/** Codex takes all or nothing of these: one that is not approved keeps the others away. */
export const isSetting = ({ kind }: ProjectPart): boolean => kind === 'file'

function filePart(root: string, path: string): ProjectPart {
  const text = textAt(path)
  return partOf(
    root,
    path,
    { agent: 'codex', kind: 'file', name: basename(path), detail: commandsIn(text) },
    text,
  )
}

const skillsIn = (directory: string): readonly string[] =>
  entriesOf(directory).map(({ name }) => join(directory, name, 'SKILL.md'))

function skillPart(root: string, path: string): ProjectPart {
  const texts = filesBelow(dirname(path)).map(textAt)
  return partOf(
    root,
    path,
    { agent: 'codex', kind: 'skill', name: basename(dirname(path)), detail: '' },
    texts,
  )
}

/** The lines of a configuration that start something. */
const commandsIn = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^"?(command|args|notify|url)"?\s*[=:]|^\[+(mcp_servers|hooks)/.test(line))
    .join(' ')
