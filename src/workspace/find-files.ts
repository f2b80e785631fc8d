import { realpath, rm } from 'node:fs/promises'
import { hasCode } from '../tree/error.ts'
import { bestPaths } from '../tree/fuzzy-path.ts'
import { fromText, records, toText, tryGit } from './git.ts'
import { findProject, type Project } from './project.ts'
import { lookAll } from './raw-path.ts'
import { copyIndex } from './shadow/shadow.ts'
import { withShadow } from './shadow/with-shadow.ts'

/** Somebody waits with a finger on the keys: of a directory that takes longer, what was found by then has to do. */
const patience = 3_000

const looking = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']

/** The files of a directory that git would take, by letters of their paths; the paths are below the directory. */
export async function findFiles(
  dataDirectory: string,
  directory: string,
  { q, limit }: { readonly q: string; readonly limit: number },
): Promise<readonly string[]> {
  const found = await findProject(directory).catch(() => null)
  if (!found) return []
  const start = await realpath(directory)
  const all = await listed(dataDirectory, found, start).catch((error) => {
    if (hasCode(error, 'file_unreadable')) return []
    throw error
  })
  const paths = all.filter(isText).map(toText)
  // The index still has what was deleted, and names other repositories as one path each.
  for (let wanted = limit; ; wanted *= 4) {
    const best = bestPaths(paths, q, wanted)
    const there = await lookAll(start, best.map(fromText))
    const files = best.filter((_, i) => there[i] && !there[i]?.isDirectory())
    if (files.length >= limit || best.length < wanted) return files.slice(0, limit)
  }
}

// git itself would look with the repository's own config, and run what that names: so with a copy of its index here.
async function listed(dataDirectory: string, project: Project, start: string): Promise<readonly string[]> {
  return withShadow(dataDirectory, project, (shadow) =>
    shadow.withAside('list', async (own) => {
      const isCopied = project.repository !== null && (await copyIndex(project.repository.index, own))
      const place = { ...shadow.place(own), cwd: start }
      const look = async () => {
        const { code, stdout } = await tryGit(place, looking, { timeout: patience })
        // Cut off where it took too long: the last path may not be whole.
        return { code, paths: new Set(records(stdout.slice(0, stdout.lastIndexOf('\0') + 1))) }
      }
      const { code, paths } = await look()
      if (!isCopied || code === 0 || code === null) return [...paths]
      // One that cannot be read, since most of it is in another file: then all files are unknown ones.
      await rm(own, { force: true })
      return [...(await look()).paths]
    }),
  )
}

// Another repository inside, which git does not look into; or a name that no text can have.
const isText = (path: string): boolean => !path.endsWith('/') && !toText(path).includes('\ufffd')
