import { basename, join, relative } from 'node:path'
import * as z from 'zod/mini'
import type { ProjectPart } from '../../tree/directory-trust.ts'
import { directoriesDownTo, entriesOf, filesBelow, partOf, textAt } from '../shipped-files.ts'

/** A part that Claude would load, with what its copy needs (`project-copy.ts`). */
export type Shipped = { readonly part: ProjectPart } & (
  | { readonly to: 'setting'; readonly file: string; readonly key: string; readonly value: unknown }
  | { readonly to: 'hook'; readonly file: string; readonly event: string; readonly value: unknown }
  | { readonly to: 'server'; readonly name: string; readonly value: unknown }
  | { readonly to: 'link'; readonly path: string; readonly target: string }
)

const records = z.record(z.string(), z.unknown())
const hookEvents = z.record(z.string(), z.array(z.unknown()))
const hookGroup = z.object({
  matcher: z.optional(z.string()),
  hooks: z.array(z.looseObject({ command: z.optional(z.string()), url: z.optional(z.string()) })),
})

/** Settings whose value is a command line, or has one. */
export const helpers = [
  ...['apiKeyHelper', 'awsAuthRefresh', 'awsCredentialExport', 'gcpAuthRefresh', 'otelHeadersHelper'],
  ...['statusLine', 'subagentStatusLine', 'fileSuggestion', 'proxyAuthHelper'],
]

/** Lists the parts of a project that Claude would load: settings, servers and files in `.claude`. */
export function shippedForClaude(root: string, cwd: string): readonly Shipped[] {
  const directories = directoriesDownTo(root, cwd)
  const settings = directories.findLast((each) =>
    settingsFiles.some((name) => textAt(join(each, '.claude', name)) !== ''),
  )
  return [
    ...(settings ? settingsFiles.flatMap((name) => settingsIn(root, join(settings, '.claude', name))) : []),
    ...directories.flatMap((directory) => serversIn(root, join(directory, '.mcp.json'))),
    ...directories.flatMap((directory) => helpersIn(root, join(directory, '.claude'))),
  ]
}

const settingsFiles = ['settings.json', 'settings.local.json']

function settingsIn(root: string, path: string): readonly Shipped[] {
  const file = basename(path)
  return entries(textAt(path)).flatMap(([key, value]): readonly Shipped[] => {
    const hooks = key === 'hooks' ? hookEvents.safeParse(value).data : undefined
    if (hooks) return hooksIn(root, path, hooks)
    const kind = helpers.includes(key) ? 'helper' : 'setting'
    const detail = kind === 'helper' ? commandOf(value) : short(value)
    return [
      {
        part: partOf(root, path, { agent, kind, name: key, detail }, value),
        to: 'setting',
        file,
        key,
        value,
      },
    ]
  })
}

const hooksIn = (root: string, path: string, hooks: z.infer<typeof hookEvents>): readonly Shipped[] =>
  Object.entries(hooks).flatMap(([event, groups]) =>
    groups.map((value): Shipped => {
      const group = hookGroup.safeParse(value).data
      const commands = group?.hooks.map(({ command, url }) => command ?? url ?? '').join('; ')
      const detail = { agent, kind: 'hook', name: event, detail: commands ?? short(value) } as const
      return { part: partOf(root, path, detail, value), to: 'hook', file: basename(path), event, value }
    }),
  )

function serversIn(root: string, path: string): readonly Shipped[] {
  const [, servers] = entries(textAt(path)).find(([key]) => key === 'mcpServers') ?? []
  return Object.entries(records.safeParse(servers).data ?? {}).map(([name, value]) => ({
    part: partOf(root, path, { agent, kind: 'server', name, detail: commandOf(value) }, value),
    to: 'server',
    name,
    value,
  }))
}

/** Agents, commands and the like file by file, skills by their directories. Rules are text, and read anyway. */
function helpersIn(root: string, directory: string): readonly Shipped[] {
  const link = (path: string, kind: ProjectPart['kind'], name: string, texts: unknown): Shipped => ({
    part: partOf(root, path, { agent, kind, name, detail: '' }, texts),
    to: 'link',
    path: relative(directory, path),
    target: path,
  })
  const skills = join(directory, 'skills')
  const files = folders.flatMap(([folder, kind]) =>
    filesBelow(join(directory, folder)).map((path) =>
      link(path, kind, basename(path).replace(/\.md$/, ''), textAt(path)),
    ),
  )
  return [
    ...files,
    ...entriesOf(skills).map(({ name }) => {
      const path = join(skills, name)
      return link(path, 'skill', name, filesBelow(path).map(textAt))
    }),
  ]
}

const agent = 'claude'
const folders = [
  ['agents', 'subagent'],
  ['commands', 'command'],
  ['output-styles', 'file'],
  ['workflows', 'file'],
] as const

function entries(text: string): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(records.parse(JSON.parse(text)))
  } catch {
    return []
  }
}

const commandLine = z.object({
  command: z.optional(z.string()),
  args: z.optional(z.array(z.string())),
  url: z.optional(z.string()),
})

function commandOf(value: unknown): string {
  if (typeof value === 'string') return value
  const { command, args = [], url } = commandLine.safeParse(value).data ?? {}
  return command === undefined ? (url ?? short(value)) : [command, ...args].join(' ')
}

const short = (value: unknown): string => JSON.stringify(value).slice(0, 200)
