import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { isolatedDeclaration } from 'rolldown/experimental'

/**
 * Writes the types of the client, and all that they name, to a directory. They stand alone: a front end sees no more than
 * `bough.ts` and the tree.
 */
export async function writeClientTypes(sources: string, directory: string): Promise<void> {
  const modules = new Set(['client/connect.ts'])
  // It grows while it is gone through.
  for (const module of modules) {
    const { code, named } = await declare(sources, module)
    for (const each of named) modules.add(each)
    const file = join(directory, module.replace(/\.ts$/, '.d.ts'))
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, code)
  }
}

const specifier = /(?<=\bfrom ")[^"]+(?=")/g

async function declare(
  sources: string,
  module: string,
): Promise<{ readonly code: string; readonly named: readonly string[] }> {
  const path = join(sources, module)
  const { code, errors } = await isolatedDeclaration(path, await readFile(path, 'utf8'))
  if (errors[0]) throw new Error(`${module} has no types of its own: ${errors[0].message}`)
  const named = code.match(specifier) ?? []
  const foreign = named.find((each) => !each.startsWith('.'))
  if (foreign) throw new Error(`${module} needs ${foreign} for its types, which the package does not bring.`)
  return {
    code: code.replace(specifier, (each) => each.replace(/\.ts$/, '.js')),
    named: named.map((each) => posix.join(posix.dirname(module), each)),
  }
}
