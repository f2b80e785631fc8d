import type { Json } from '../../tree/message.ts'

type Table = Readonly<Record<string, Json>>

/** Tables of Codex's configuration in which the person can say that tools need no approval. */
const toolTables = ['mcp_servers', 'apps', 'plugins']

/**
 * What a thread's configuration has to override so that Codex asks before every call of a tool, and before every command. A hook
 * of Codex's could answer such a question before bough hears of it, so no hooks run. `config` is the one that would hold.
 */
export function alwaysAsk(config: Table): Table {
  const overrides: Record<string, Json> = { 'features.hooks': false }
  for (const name of toolTables) {
    const table = config[name]
    if (!isTable(table)) continue
    for (const [server, settings] of Object.entries(table))
      if (isTable(settings)) Object.assign(overrides, overridesFor([name, server], settings))
  }
  for (const server of Object.keys(tableAt(config, 'mcp_servers')))
    overrides[`mcp_servers.${server}.default_tools_approval_mode`] = 'prompt'
  return overrides
}

/** Its settings as dotted keys, as Codex wants them. */
function overridesFor(path: readonly string[], settings: Table): Table {
  const overrides: Record<string, Json> = {}
  for (const [key, value] of Object.entries(settings)) {
    if (isApproval(key) && typeof value === 'string') overrides[[...path, key].join('.')] = 'prompt'
    else if (!isTable(value)) continue
    // A dot in a name would be read as two names: then the table around it is given as a whole.
    else if (Object.keys(value).some((name) => name.includes('.')))
      overrides[[...path, key].join('.')] = asking(value)
    else Object.assign(overrides, overridesFor([...path, key], value))
  }
  return overrides
}

const asking = (settings: Table): Json =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      isApproval(key) && typeof value === 'string' ? 'prompt' : isTable(value) ? asking(value) : value,
    ]),
  )

const isApproval = (key: string): boolean => key === 'approval_mode' || key === 'default_tools_approval_mode'

const tableAt = (config: Table, key: string): Table => {
  const value = config[key]
  return isTable(value) ? value : {}
}

const isTable = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
