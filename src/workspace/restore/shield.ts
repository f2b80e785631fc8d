import type { Missing } from '../../tree/snapshot.ts'
import { toText } from '../git.ts'
import type { Left } from './restore-plan.ts'
import { directoriesOf, isRepositoryName } from './standing.ts'
import { type Difference, isSubmodule } from './tree-entries.ts'

/** What a restore leaves alone without looking at it. */
export interface Shield {
  /** In or below something that could not be captured, or a submodule that differs; or part of a repository. */
  covers(path: string): boolean
  /** The same by name, for people. */
  readonly named: readonly Left[]
}

export function shieldOf(
  differing: readonly Difference[],
  missingNow: readonly Missing[],
  missingThen: readonly Missing[],
): Shield {
  const submodules = new Set(
    differing.filter(({ from, to }) => isSubmodule(from) || isSubmodule(to)).map(({ path }) => path),
  )
  // Names for people are not always the bytes; two that look the same are both left alone.
  const missing = new Set([...missingThen, ...missingNow].map(({ path }) => path))
  return {
    covers: (path) => {
      if (path.split('/').some(isRepositoryName)) return true
      const line = [...directoriesOf(path), path]
      return line.some((each) => submodules.has(each) || (missing.size > 0 && missing.has(toText(each))))
    },
    named: [
      ...missingThen.map(({ path }) => ({ path, why: 'not captured then' as const })),
      ...missingNow.map(({ path }) => ({ path, why: 'not captured now' as const })),
      ...[...submodules].map((path) => ({ path: toText(path), why: 'submodule' as const })),
    ],
  }
}
