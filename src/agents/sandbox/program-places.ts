import { basename, delimiter, dirname, join, sep } from 'node:path'
import { sharedPlaces } from './hidden-places.ts'
import type { Rule } from './rule.ts'

/**
 * Keeps programs readable that lie in a directory whose files a sandbox hides: a checkout or an installation below /tmp. They are
 * bough itself, its Node and what is on the path.
 */
export function programPlaces(env: NodeJS.ProcessEnv, relayCommand: readonly string[]): readonly Rule[] {
  const onPath = (env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'program'))
  const programs = [process.execPath, ...relayCommand, ...onPath]
  const hidden = programs.filter((path) => sharedPlaces.some((place) => path.startsWith(place + sep)))
  const places = new Set(hidden.map(installationOf).filter((place) => !sharedPlaces.includes(place)))
  return [...places].map((path) => ({ path, access: 'read' }))
}

// What a package needs lies beside its outermost node_modules, what another program needs beside its "bin".
function installationOf(program: string): string {
  const modules = program.indexOf(`${sep}node_modules${sep}`)
  if (modules !== -1) return program.slice(0, modules)
  const directory = dirname(program)
  return basename(directory) === 'bin' ? dirname(directory) : directory
}
