import { git, lookingThrough, records, toText } from '../git.ts'
import type { Project } from '../project.ts'
import type { Shadow } from '../shadow/shadow.ts'

const listing = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']

/** What git ignores in a work tree whose other files are this tree; a directory of nothing else as one, with a slash. */
export const ignoredIn = (shadow: Shadow, { root }: Project, tree: string): Promise<readonly string[]> =>
  shadow.withAside('ignored', async (index) => {
    const place = shadow.place(index, root)
    await git(place, ['read-tree', tree])
    return records(await git(place, listing, lookingThrough)).map(toText)
  })
