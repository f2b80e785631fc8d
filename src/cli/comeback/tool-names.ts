import { UsageError } from '../usage-error.ts'

/** The tools that `--allow` names, with commas between them. */
export function toolNames(typed: string): readonly string[] {
  const names = typed.split(',').map((name) => name.trim())
  if (names.every((name) => name !== '')) return names
  throw new UsageError('--allow needs names of tools with commas between them: --allow read,run.')
}
