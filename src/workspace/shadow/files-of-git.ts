import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { mustNotKeepWaiting, readTextIfThere } from '../../read-regular-file.ts'
import { largestIndex } from '../capture/index-file.ts'
import type { Project } from '../project.ts'

/** The config files that git reads in a project; they need not exist. */
export const configFilesOf = ({ repository }: Project): readonly string[] => [
  ...['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'],
  ...[join(homedir(), '.gitconfig'), join(configHome(), 'git', 'config')],
  ...(repository ? [join(repository.commonDir, 'config'), join(repository.gitDir, 'config.worktree')] : []),
]

/** Where git looks for what is the person's own, in all their projects. */
export const configHome = (): string => process.env.XDG_CONFIG_HOME || join(homedir(), '.config')

/**
 * Throws where git would wait for a pipe or read a device: it opens these files whatever it is asked. Lists of rules
 * deeper in the project are found while it looks through (`waiting-rules.ts`).
 */
export function mustNotKeepGitWaiting(project: Project): void {
  for (const file of configFilesOf(project)) configMustNot(file)
  for (const name of ['ignore', 'attributes']) mustNotKeepWaiting(join(configHome(), 'git', name))
  for (const name of ['.gitignore', '.gitattributes', '.gitmodules'])
    mustNotKeepWaiting(join(project.root, name))
  if (!project.repository) return
  const { gitDir, commonDir, index } = project.repository
  for (const each of [index, join(commonDir, 'packed-refs')]) mustNotKeepWaiting(each, largestIndex)
  for (const name of ['HEAD', 'commondir', 'info/sparse-checkout']) mustNotKeepWaiting(join(gitDir, name))
  for (const name of ['info/exclude', 'info/attributes', 'info/grafts', 'shallow', 'objects/info/alternates'])
    mustNotKeepWaiting(join(commonDir, name))
}

/** So deep git follows files that include others. */
const deepest = 10

// git reads these before all else, even to tell its version: so it cannot be asked which files they include.
function configMustNot(file: string, depth = 0): void {
  const text = readTextIfThere(file)
  if (text === null || depth > deepest) return
  for (const path of includedIn(text))
    configMustNot(resolve(dirname(file), path.replace(/^~(?=\/)/, homedir())), depth + 1)
}

function includedIn(text: string): readonly string[] {
  let isInclude = false
  const found: string[] = []
  for (const line of text.split('\n')) {
    const [, section, rest = line] = /^\s*\[([^\]]*)\](.*)/.exec(line) ?? []
    if (section !== undefined) isInclude = /^include(if\s.*)?$/i.test(section)
    const path = isInclude && /^\s*path\s*=\s*"?([^"]*)/i.exec(rest)?.[1]?.trim()
    if (path) found.push(path)
  }
  return found
}
