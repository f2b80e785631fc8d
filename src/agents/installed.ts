import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { readTextIfThere } from '../read-regular-file.ts'

// The agents' packages are large and the person's choice: they are looked for when they are needed.

/** A program's full path: as it is, or the first of that name on the PATH; null when there is none. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const places = isAbsolute(name) ? [name] : directoriesOf(env).map((directory) => join(directory, name))
  for (const path of places) if (await isProgram(path)) return path
  return null
}

export interface Installed {
  /** Of the wanted file in it. */
  readonly path: string
  readonly version: string
}

/** A package beside bough, or installed for everybody (`npm install -g`); null when there is none. */
export async function findPackage(
  name: string,
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<Installed | null> {
  const beside = createRequire(import.meta.url).resolve.paths(name) ?? []
  const global = directoriesOf(env).map((directory) => join(dirname(directory), 'lib', 'node_modules'))
  for (const modules of new Set([...beside, ...global])) {
    const path = join(modules, name, file)
    if (!(await stat(path).catch(() => null))?.isFile()) continue
    return { path, version: await versionIn(join(modules, name)) }
  }
  return null
}

/** What a program says of its version; null when it does not run. */
export async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    return (await ask(program, ['--version'], env)).stdout.trim()
  } catch {
    return null
  }
}

/** All that a program says, also where it fails: then that is its answer. */
export async function wordsOf(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const said = await ask(program, args, env).catch((error: unknown) => error)
  const texts = said instanceof Object ? [Reflect.get(said, 'stdout'), Reflect.get(said, 'stderr')] : []
  return texts.join('\n')
}

const ask = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  promisify(execFile)(program, args, { env, timeout: 5_000 })

const directoriesOf = (env: NodeJS.ProcessEnv): readonly string[] =>
  (env.PATH ?? '').split(delimiter).filter(isAbsolute)

async function isProgram(path: string): Promise<boolean> {
  if (!(await stat(path).catch(() => null))?.isFile()) return false
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function versionIn(directory: string): Promise<string> {
  const text = readTextIfThere(join(directory, 'package.json')) ?? '{}'
  return /"version":\s*"([^"]*)"/.exec(text)?.[1] ?? 'of unknown version'
}
