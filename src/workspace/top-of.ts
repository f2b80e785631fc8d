import { realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readTextIfThere } from '../read-regular-file.ts'
import { gitDirOf } from './project.ts'

export interface Top {
  readonly root: string
  readonly commonDirectory: string | null
}

/** The top of the work tree that a directory is in, by its real path; without git, the directory itself. */
export async function topOf(directory: string): Promise<Top> {
  const start = await realpath(directory)
  for (let root = start; ; root = dirname(root)) {
    const gitDir = await gitDirOf(root)
    if (gitDir) return { root, commonDirectory: await commonDirectoryOf(gitDir) }
    if (dirname(root) === root) return { root: start, commonDirectory: null }
  }
}

async function commonDirectoryOf(gitDir: string): Promise<string> {
  const common = readTextIfThere(join(gitDir, 'commondir'))
  return realpath(common === null ? gitDir : resolve(gitDir, common.trim()))
}
