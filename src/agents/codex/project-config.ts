import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Json } from '../../tree/message.ts'
import type { ProjectAccess } from '../driver.ts'
import type { AppServer } from './app-server.ts'
import { configReply, skillsReply } from './protocol.ts'
import { isSetting, shippedForCodex } from './shipped.ts'

/** Codex loads a project's settings all or not at all: only where each of them is approved. */
export async function loadsSettings({ cwd, project: { root, approved } }: Where): Promise<boolean> {
  if (!approved) return false
  const parts = shippedForCodex(root, await realpath(cwd).catch(() => cwd))
  return parts.filter(isSetting).every(({ id }) => approved.has(id))
}

/**
 * Settings for a thread that decide what Codex loads of the project: config, hooks, rules and skills. They hold even against
 * the person's own config for Codex.
 */
export async function projectConfigFor(
  server: AppServer,
  { cwd, project }: Where,
  trusts: boolean,
): Promise<Record<string, Json>> {
  const real = await realpath(cwd).catch(() => cwd)
  const approved = new Set(
    shippedForCodex(project.root, real)
      .filter(({ id }) => project.approved?.has(id))
      .map(({ file }) => join(project.root, file)),
  )
  const [{ data }, { config }] = await Promise.all([
    server
      .request('skills/list', { cwds: [cwd], forceReload: true })
      .then((reply) => skillsReply.parse(reply)),
    server.request('config/read', { includeLayers: false }).then((reply) => configReply.parse(reply)),
  ])
  const shipped = data.flatMap(({ skills }) => skills.filter(({ scope }) => scope === 'repo'))
  const places = [cwd, project.root, project.commonDirectory ?? cwd]
  return {
    // Codex's own trust counts besides bough's: only then it tells which servers the project has, so that all of them ask.
    ...(!trusts && { projects: untrustedProjects(places) }),
    'skills.config': [
      ...(config.skills?.config ?? []),
      ...shipped.filter(({ path }) => !approved.has(path)).map(({ path }) => ({ path, enabled: false })),
    ],
  }
}

interface Where {
  readonly cwd: string
  readonly project: ProjectAccess
}

/** Codex asks for the directory, for the top of its work tree and for that of the main one. A parent may be trusted, too. */
export const untrustedProjects = (directories: readonly string[]): Record<string, Json> =>
  Object.fromEntries(directories.flatMap(withParents).map((path) => [path, { trust_level: 'untrusted' }]))

const withParents = (path: string): readonly string[] =>
  dirname(path) === path ? [path] : [path, ...withParents(dirname(path))]
