import { chmod, readdir, rm } from 'node:fs/promises'

/** Removes a directory with all that is in it, links not followed; nothing to do when it is not there. */
export async function removeDirectory(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    await makeWritable(Buffer.from(path))
    await rm(path, { recursive: true, force: true })
  }
}

// Some tools leave directories in which nothing can be deleted. Names are bytes.
async function makeWritable(directory: Buffer): Promise<void> {
  await chmod(directory, 0o700)
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) await makeWritable(Buffer.concat([directory, Buffer.from('/'), entry.name]))
  }
}
