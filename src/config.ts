import { invalid, isRecord, readStored, withOption, withoutKey, writeStored } from './config-file.ts'
import {
  type ConfigOption,
  type ConfigValue,
  configOptions,
  options,
  type WholeNumber,
} from './config-options.ts'
import type { Home } from './home.ts'
import { BoughError } from './tree/error.ts'
import { type PreferredFiles, preferredFilesModes, type RunFiles, runFilesModes } from './tree/files-mode.ts'
import { networkAccessIn } from './tree/network.ts'
import { type SandboxMode, sandboxModes } from './tree/sandbox.ts'

/** The person's own options, in one JSON file. Every one has a default. */
export interface Config {
  /** The agent of new sessions; null for the first that is set up. */
  readonly agent: string | null
  /** The model of new sessions with that agent. */
  readonly model: string | null
  readonly claude: AgentConfig
  readonly codex: CodexConfig
  readonly permissions: {
    /** Tools that need no asking: `run`, or `run(git status*)` for those whose detail begins so. */
    readonly allow: readonly string[]
    readonly deny: readonly string[]
    /** Files that agents ask before they write, even inside their directory: names, or paths with `*`, `**` and `?`. */
    readonly protected: readonly string[]
    /** Seconds until a question that nobody answers is denied. */
    readonly timeout: number
  }
  readonly forks: {
    /** What agents call the person. */
    readonly person: string
    /** How many background runs go on at once. */
    readonly limit: number
    /** Minutes until the agent of a fork is asked whether somebody is still there. */
    readonly idle: number
    /** What a fork does about files where nobody says; `auto` finds out. */
    readonly files: PreferredFiles
    readonly background: {
      /** What a background run does about files where nobody says. */
      readonly files: RunFiles
    }
  }
  readonly server: {
    /** How many turns run at once for those who come in over HTTP. */
    readonly turns: number
    /** Directories that they may begin sessions in, beside those that sessions work in already. */
    readonly workspaces: readonly string[]
  }
  readonly discord: {
    /** The bot's; DISCORD_TOKEN goes before it. */
    readonly token: string | null
    /** Whom the bot answers; DISCORD_OWNER_ID goes before it. */
    readonly owner: string | null
  }
  readonly tui: {
    /** How the terminal UI looks; `auto` goes by the terminal. */
    readonly theme: 'auto' | 'dark' | 'light' | 'plain'
  }
  readonly sandbox: {
    /** Of sessions that choose nothing; null: `auto` for background runs, `off` for all others. */
    readonly mode: SandboxMode | null
    /** What programs in it reach: `on` for all, `off` for nothing, or hosts with commas between them. */
    readonly network: string
  }
  readonly worktree: {
    /** A command that makes a new worktree ready to work in; run in it by a shell. */
    readonly setup: string | null
  }
}

export interface AgentConfig {
  /** Of its sessions that name none; null for its own default. */
  readonly model: string | null
  /** Its program, by path or by name; null for the first that is found. */
  readonly executable: string | null
}

export interface CodexConfig extends AgentConfig {
  /** What becomes of a command that wants to run outside Codex's own sandbox. */
  readonly sandbox: 'keep' | 'ask'
}

const agentDefaults: AgentConfig = { model: null, executable: null }

const defaults: Config = {
  agent: null,
  model: null,
  claude: agentDefaults,
  codex: { ...agentDefaults, sandbox: 'keep' },
  permissions: { allow: [], deny: [], protected: [], timeout: 600 },
  forks: { person: 'the person', limit: 4, idle: 10, files: 'auto', background: { files: 'same' } },
  server: { turns: 64, workspaces: [] },
  discord: { token: null, owner: null },
  tui: { theme: 'auto' },
  sandbox: { mode: null, network: 'on' },
  worktree: { setup: null },
}

/** The value of one option, named as in the file. */
export const optionOf = (config: Config, key: string): ConfigValue => findOption(key).of(config)

/** What may be shown of it: that there is a token, but not which. */
export const withoutSecrets = (config: Config): Config =>
  config.discord.token === null ? config : { ...config, discord: { ...config.discord, token: '(set)' } }

export async function readConfig(home: Home): Promise<Config> {
  const stored = await readStored(home.config)
  return stored === undefined ? defaults : check(home, stored)
}

/** Sets one option, named as in the file (`permissions.timeout`). */
export async function writeConfig(home: Home, key: string, value: string): Promise<Config> {
  const parsed = parseValue(findOption(key), value)
  const stored = await readStored(home.config)
  const before = isRecord(stored) ? withoutKey(stored, key.split('.')) : {}
  const after = withOption(before, key.split('.'), parsed)
  const config = await check(home, after)
  await writeStored(home.config, after)
  return config
}

/** Adds a rule to `permissions.allow`. */
export async function allowAlways(home: Home, rule: string): Promise<void> {
  const { allow } = (await readConfig(home)).permissions
  if (!allow.includes(rule)) await writeConfig(home, 'permissions.allow', JSON.stringify([...allow, rule]))
}

/**
 * Puts the default of one option back. Whatever else the file has stays as it is, right or wrong, and also a key that
 * bough does not know goes: or a slip could only be mended by hand.
 */
export async function unsetConfig(home: Home, key: string): Promise<void> {
  const stored = await readStored(home.config)
  if (stored !== undefined && !isRecord(stored)) throw complain(home.config, stored, undefined)
  const before = stored ?? {}
  const after = withoutKey(before, key.split('.'))
  if (JSON.stringify(after) === JSON.stringify(before)) findOption(key)
  else await writeStored(home.config, after)
}

// zod takes longer to load than all else that a short command does, so it is loaded only when there is something to check.
async function check({ config: file }: Home, stored: unknown): Promise<Config> {
  const z = await import('zod/mini')
  const name = z.string().check(z.minLength(1))
  const names = z.array(name)
  const text = z.optional(z.nullable(name))
  const agent = z.optional(z.strictObject({ model: text, executable: text }))
  const within = ({ from, to }: WholeNumber) => z.int().check(z.minimum(from), z.maximum(to))
  const schema = z.strictObject({
    agent: text,
    model: text,
    claude: agent,
    codex: z.optional(
      z.strictObject({ model: text, executable: text, sandbox: z.optional(z.enum(['keep', 'ask'])) }),
    ),
    permissions: z.optional(
      z.strictObject({
        allow: z.optional(names),
        deny: z.optional(names),
        protected: z.optional(names),
        timeout: z.optional(within(options['permissions.timeout'])),
      }),
    ),
    forks: z.optional(
      z.strictObject({
        person: z.optional(name),
        limit: z.optional(within(options['forks.limit'])),
        idle: z.optional(within(options['forks.idle'])),
        files: z.optional(z.enum(preferredFilesModes)),
        background: z.optional(z.strictObject({ files: z.optional(z.enum(runFilesModes)) })),
      }),
    ),
    server: z.optional(
      z.strictObject({
        turns: z.optional(within(options['server.turns'])),
        workspaces: z.optional(names),
      }),
    ),
    discord: z.optional(z.strictObject({ token: text, owner: text })),
    tui: z.optional(z.strictObject({ theme: z.optional(z.enum(['auto', 'dark', 'light', 'plain'])) })),
    sandbox: z.optional(
      z.strictObject({
        mode: z.optional(z.nullable(z.enum(sandboxModes))),
        network: z.optional(z.string().check(z.refine((text) => networkAccessIn(text) !== null))),
      }),
    ),
    worktree: z.optional(z.strictObject({ setup: text })),
  })
  const { success, data, error } = schema.safeParse(stored)
  if (!success) throw complain(file, stored, error.issues[0])
  const given = (set: typeof data.claude): AgentConfig => ({
    model: set?.model ?? null,
    executable: set?.executable ?? null,
  })
  return {
    agent: data.agent ?? defaults.agent,
    model: data.model ?? defaults.model,
    claude: given(data.claude),
    codex: { ...given(data.codex), sandbox: data.codex?.sandbox ?? defaults.codex.sandbox },
    permissions: {
      allow: data.permissions?.allow ?? defaults.permissions.allow,
      deny: data.permissions?.deny ?? defaults.permissions.deny,
      protected: data.permissions?.protected ?? defaults.permissions.protected,
      timeout: data.permissions?.timeout ?? defaults.permissions.timeout,
    },
    forks: {
      person: data.forks?.person ?? defaults.forks.person,
      limit: data.forks?.limit ?? defaults.forks.limit,
      idle: data.forks?.idle ?? defaults.forks.idle,
      files: data.forks?.files ?? defaults.forks.files,
      background: { files: data.forks?.background?.files ?? defaults.forks.background.files },
    },
    server: {
      turns: data.server?.turns ?? defaults.server.turns,
      workspaces: data.server?.workspaces ?? defaults.server.workspaces,
    },
    discord: { token: data.discord?.token ?? null, owner: data.discord?.owner ?? null },
    tui: { theme: data.tui?.theme ?? defaults.tui.theme },
    sandbox: {
      mode: data.sandbox?.mode ?? defaults.sandbox.mode,
      network: data.sandbox?.network ?? defaults.sandbox.network,
    },
    worktree: { setup: data.worktree?.setup ?? defaults.worktree.setup },
  }
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

function complain(file: string, stored: unknown, issue: Issue | undefined): BoughError {
  const path = (issue?.path ?? []).filter((step) => typeof step === 'string')
  const unknown = issue?.keys?.[0]
  if (unknown !== undefined) {
    const key = [...path, unknown].join('.')
    if (configOptions.some((option) => option.key === key)) return flatKey(file, stored, key)
    return invalid(`${file} has "${key}", which is no option. "bough config ${key} --unset" removes it.`)
  }
  const key = path.join('.')
  const option = configOptions.find((candidate) => candidate.key === key)
  if (option)
    return invalid(
      `"${key}" in ${file} must be ${option.expects}. "bough config ${key} --unset" puts the default back.`,
    )
  return invalid(`${key === '' ? file : `"${key}" in ${file}`} must be a JSON object, like {}.`)
}

// Named with its dots, as people do. Only a number is repeated: some of the others nobody should see.
function flatKey(file: string, stored: unknown, key: string): BoughError {
  const value = isRecord(stored) && typeof stored[key] === 'number' ? String(stored[key]) : '…'
  const nested = key.split('.').reduceRight((inner, step) => `{"${step}": ${inner}}`, value)
  return invalid(
    `${file} has "${key}" as one name. Write it as ${nested}; "bough config ${key} ${value}" does that for you.`,
  )
}

function findOption(key: string): ConfigOption {
  const option = configOptions.find((candidate) => candidate.key === key)
  if (option) return option
  const known = configOptions.map((candidate) => candidate.key).join(', ')
  throw new BoughError('bad_input', `There is no option "${key}". There are: ${known}.`)
}

function parseValue(option: ConfigOption, value: string): unknown {
  const wrong = (cause?: unknown) =>
    new BoughError('bad_input', `"${option.key}" must be ${option.expects}. Nothing was written.`, { cause })
  if (option.kind === 'text') {
    if (value.trim() === '' || option.fits?.(value) === false) throw wrong()
    return value
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(value)
  } catch (cause) {
    throw wrong(cause)
  }
  const fits =
    option.kind === 'list'
      ? Array.isArray(parsed) && parsed.every((entry) => typeof entry === 'string' && entry !== '')
      : typeof parsed === 'number' && Number.isInteger(parsed) && parsed >= option.from && parsed <= option.to
  if (!fits) throw wrong()
  return parsed
}
