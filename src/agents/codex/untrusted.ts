import { dirname } from 'node:path'
import type { Json } from '../../tree/message.ts'
import type { ProjectAccess } from '../driver.ts'
import type { AppServer } from './app-server.ts'
import { configReply, skillsReply } from './protocol.ts'

/**
 * Settings for a thread in an untrusted project. Codex then loads no config, hooks, rules or skills of the project, even
 * where the person's own config calls it trusted.
 */
export async function untrustedConfig(
  server: AppServer,
  { cwd, project }: { readonly cwd: string; readonly project: ProjectAccess },
): Promise<Record<string, Json>> {
  const [{ data }, { config }] = await Promise.all([
    server
      .request('skills/list', { cwds: [cwd], forceReload: true })
      .then((reply) => skillsReply.parse(reply)),
    server.request('config/read', { includeLayers: false }).then((reply) => configReply.parse(reply)),
  ])
  const shipped = data.flatMap(({ skills }) => skills.filter(({ scope }) => scope === 'repo'))
  return {
    projects: untrustedProjects([cwd, project.root, project.commonDirectory ?? cwd]),
    'skills.config': [
      ...(config.skills?.config ?? []),
      ...shipped.map(({ path }) => ({ path, enabled: false })),
    ],
  }
}

/** Codex asks for the directory, for the top of its work tree and for that of the main one. A parent may be trusted, too. */
export const untrustedProjects = (directories: readonly string[]): Record<string, Json> =>
  Object.fromEntries(directories.flatMap(withParents).map((path) => [path, { trust_level: 'untrusted' }]))

const withParents = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]

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
