import { realpath, stat } from 'node:fs/promises'
import type { RealRule, Rule } from './rule.ts'

/** Rules for the paths that exist, in the order of a `Confinement`: mounts cover a path only where there is one. */
export async function realRules(rules: readonly Rule[]): Promise<readonly RealRule[]> {
  const found = await Promise.all(rules.map(realRule))
  const byPath = new Map<string, RealRule>()
  for (const rule of found) if (rule) byPath.set(rule.path, rule)
  return [...byPath.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path))
}

async function realRule({ path, access }: Rule): Promise<RealRule | null> {
  try {
    const real = await realpath(path)
    return { path: real, access, isDirectory: (await stat(real)).isDirectory() }
  } catch {
    // Not there, or not to be entered: then the agent cannot reach it either.
    return null
  }
}

const depthOf = (path: string): number => path.split('/').filter(Boolean).length
