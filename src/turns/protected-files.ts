import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasProtectedName } from './protected-names.ts'

/** How many directories are looked into: a project may have any number. */
const most = 2_000

/** The files and directories below a directory from which programs take commands, those nearest to it first. */
export async function protectedFiles(directory: string, more: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  const folders = [directory]
  for (let i = 0; i < Math.min(folders.length, most); i++) {
    const folder = folders[i] ?? directory
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name)
      if (hasProtectedName(path.slice(directory.length), more)) found.push(path)
      else if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(path)
    }
  }
  return found
}
