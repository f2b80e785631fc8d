import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    launcher: string
  }
}

/** Tests run the program as it is published; it also starts in two thirds of the time that the sources take. */
export default async function buildProgram(project: TestProject): Promise<() => Promise<void>> {
  const root = join(import.meta.dirname, '../..')
  const directory = join(root, `node_modules/.cache/bough-program-${process.pid}`)
  await promisify(execFile)(process.execPath, [join(root, 'scripts/build.ts'), directory])
  project.provide('launcher', join(directory, 'bin/bough.js'))
  return () => rm(directory, { recursive: true, force: true })
}
