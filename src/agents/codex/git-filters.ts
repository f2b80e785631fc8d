/** Codex asks git for the status by itself. These settings of git keep the repository's own filters from running then. */
export function withoutFilters(env: NodeJS.ProcessEnv, filters: readonly string[]): NodeJS.ProcessEnv {
  const first = Number(env.GIT_CONFIG_COUNT ?? 0)
  const settings = filters.flatMap((name) => [
    ...['clean', 'smudge', 'process'].map((key) => [`filter.${name}.${key}`, ''] as const),
    [`filter.${name}.required`, 'false'] as const,
  ])
  if (settings.length === 0) return env
  const pairs = settings.flatMap(([key, value], i) => [
    [`GIT_CONFIG_KEY_${first + i}`, key],
    [`GIT_CONFIG_VALUE_${first + i}`, value],
  ])
  return { ...env, GIT_CONFIG_COUNT: `${first + settings.length}`, ...Object.fromEntries(pairs) }
}
