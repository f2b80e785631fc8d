import { type FileHandle, realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { openRegularFile } from '../read-regular-file.ts'
import { type InstructionFile, projectInstructions } from '../tree/prompts.ts'
import type { OpenOptions } from './driver.ts'

/** As much of a file as is told; Codex reads no more either. */
const longestFile = 32 * 1024

/**
 * The system prompt of an agent in a project that it loads nothing of: what the project's instructions say follows as text.
 * Of each directory from the top down to the session's, the first of these names counts.
 */
export async function promptWithInstructions(
  { systemPrompt, cwd, project }: Pick<OpenOptions, 'systemPrompt' | 'cwd' | 'project'>,
  names: readonly string[],
): Promise<string> {
  const directories = [...parentsUpTo(project.root, await realpath(cwd).catch(() => cwd))].reverse()
  const files = await Promise.all(directories.map((directory) => firstOf(project.root, directory, names)))
  const found = files.filter((file) => file !== null)
  if (found.length === 0) return systemPrompt
  return [systemPrompt, projectInstructions(found)].filter((text) => text !== '').join('\n\n')
}

function* parentsUpTo(root: string, directory: string): Generator<string> {
  yield directory
  if (directory !== root && dirname(directory) !== directory) yield* parentsUpTo(root, dirname(directory))
}

async function firstOf(
  root: string,
  directory: string,
  names: readonly string[],
): Promise<InstructionFile | null> {
  for (const name of names) {
    const path = join(directory, name)
    const text = await readWithin(root, path)
    if (text !== null && text.trim() !== '') return { name: relative(root, path), text: text.trim() }
  }
  return null
}

// A link may lead out of the project, to a key of the person's; a pipe would wait for ever.
async function readWithin(root: string, path: string): Promise<string | null> {
  let file: FileHandle | null = null
  try {
    const real = await realpath(path)
    if (!real.startsWith(root + sep)) return null
    file = await openRegularFile(real, { noFollow: true })
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestFile), 0, longestFile, 0)
    return buffer.subarray(0, bytesRead).toString()
  } catch {
    return null
  } finally {
    await file?.close()
  }
}
