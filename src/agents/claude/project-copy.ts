import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { helpers, type Shipped } from './shipped.ts'

/** The approved parts of a project's configuration, in a directory that Claude takes for the project's own. */
export interface ProjectCopy {
  readonly path: string
  remove(): void
}

/**
 * Claude heeds changes of its settings at once. So it never gets the project's own files: a hook that an agent adds there
 * stays out until the person has approved it. Commands run in the project all the same.
 */
export function copyApproved(
  shipped: readonly Shipped[],
  approved: ReadonlySet<string>,
  cwd: string,
): ProjectCopy {
  const path = mkdtempSync(join(tmpdir(), 'bough-project-'))
  const settings: Record<string, Record<string, unknown>> = {}
  const hooks: Record<string, Record<string, unknown[]>> = {}
  const servers: Record<string, unknown> = {}
  for (const each of shipped.filter(({ part }) => approved.has(part.id))) {
    if (each.to === 'setting') {
      settings[each.file] = { ...settings[each.file], [each.key]: settingFor(each.key, each.value, cwd) }
    } else if (each.to === 'hook') {
      const events = hooks[each.file] ?? {}
      const groups = [...(events[each.event] ?? []), mapCommands(each.value, cwd)]
      hooks[each.file] = { ...events, [each.event]: groups }
    } else if (each.to === 'server') {
      servers[each.name] = each.value
    } else {
      const link = join(path, '.claude', each.path)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(each.target, link)
    }
  }
  mkdirSync(join(path, '.claude'), { recursive: true })
  // The person has approved the servers here; Claude would want that once more.
  settings[localSettings] = { ...settings[localSettings], enableAllProjectMcpServers: true }
  for (const file of new Set([...Object.keys(settings), ...Object.keys(hooks)])) {
    const whole = { ...settings[file], ...(hooks[file] && { hooks: hooks[file] }) }
    writeFileSync(join(path, '.claude', file), JSON.stringify(whole))
  }
  writeFileSync(join(path, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const localSettings = 'settings.local.json'

const settingFor = (key: string, value: unknown, cwd: string): unknown =>
  helpers.includes(key)
    ? typeof value === 'string'
      ? inProject(value, cwd)
      : mapCommands(value, cwd)
    : value

/** Every command line in a value, to be run in the project. */
function mapCommands(value: unknown, cwd: string): unknown {
  if (Array.isArray(value)) return value.map((each) => mapCommands(each, cwd))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === 'command' && typeof each === 'string' ? inProject(each, cwd) : mapCommands(each, cwd),
    ]),
  )
}

const inProject = (command: string, cwd: string): string => {
  const quoted = `'${cwd.replaceAll("'", `'\\''`)}'`
  return `export CLAUDE_PROJECT_DIR=${quoted}; cd ${quoted} && { ${command}\n}`
}
