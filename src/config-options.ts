import type { Config } from './config.ts'
import { networkAccessIn } from './tree/network.ts'
import { sandboxModes } from './tree/sandbox.ts'

export type ConfigValue = string | number | readonly string[] | null

/** An option as a person names it, for help and for complaints. */
export type ConfigOption = Words & { readonly key: string }

type Words = {
  readonly about: string
  /** What its value must be. */
  readonly expects: string
  of(config: Config): ConfigValue
} & (Text | { readonly kind: 'list' } | WholeNumber)

interface Text {
  readonly kind: 'text'
  /** Whether it is one that a person would set; a file may hold what another version knows. */
  fits?(text: string): boolean
}

export interface WholeNumber {
  readonly kind: 'number'
  readonly from: number
  readonly to: number
}

/** The names of its leaves, as a person types them. */
type KeysOf<T, K extends keyof T & string = keyof T & string> = K extends unknown
  ? T[K] extends ConfigValue
    ? K
    : `${K}.${KeysOf<T[K]>}`
  : never

import { preferredFilesModes, runFilesModes } from './tree/files-mode.ts'

export const agentNames = ['claude', 'codex', 'offline']
const themes = ['auto', 'dark', 'light', 'plain']

/** The compiler asks for each that the configuration has. */
export const options = {
  agent: {
    kind: 'text',
    about: 'The agent of new sessions; else the first that is set up',
    expects: 'the name of an agent: claude, codex or offline',
    fits: (text) => agentNames.includes(text),
    of: ({ agent }) => agent,
  },
  model: {
    kind: 'text',
    about: 'The model of new sessions',
    expects: 'the name of a model',
    of: ({ model }) => model,
  },
  'claude.model': modelOf('claude'),
  'claude.executable': executableOf('claude'),
  'codex.model': modelOf('codex'),
  'codex.executable': executableOf('codex'),
  'codex.sandbox': {
    of: ({ codex }) => codex.sandbox,
    kind: 'text',
    about: "Commands that want to leave Codex's own sandbox: keep denies them, ask asks you",
    expects: 'keep or ask',
    fits: (text) => text === 'keep' || text === 'ask',
  },
  'permissions.allow': {
    of: ({ permissions }) => permissions.allow,
    kind: 'list',
    about: 'Tools that need no asking',
    expects: 'a list like ["read", "run(git status*)"]',
  },
  'permissions.deny': {
    of: ({ permissions }) => permissions.deny,
    kind: 'list',
    about: 'Tools that are always denied',
    expects: 'a list like ["run(rm *)"]',
  },
  'permissions.protected': {
    of: ({ permissions }) => permissions.protected,
    kind: 'list',
    about: 'More files that agents ask before they write',
    expects: 'a list like ["Makefile", "scripts/*.sh", "~/bin"]',
  },
  'permissions.timeout': {
    of: ({ permissions }) => permissions.timeout,
    about: 'Seconds until a question that nobody answers is denied',
    ...wholeNumber(1, 86_400, 'seconds'),
  },
  'forks.person': {
    of: ({ forks }) => forks.person,
    kind: 'text',
    about: 'What agents call you',
    expects: 'a name',
  },
  'forks.limit': {
    of: ({ forks }) => forks.limit,
    about: 'Background runs that go on at once',
    ...wholeNumber(1, 86_400),
  },
  'forks.idle': {
    of: ({ forks }) => forks.idle,
    about: 'Minutes until a fork in which nobody says anything is asked about',
    ...wholeNumber(1, 86_400, 'minutes'),
  },
  'forks.files': {
    of: ({ forks }) => forks.files,
    kind: 'text',
    about: 'What a fork does about files where you do not say: auto, same, worktree or clean',
    expects: 'auto, same, worktree or clean',
    fits: (text) => preferredFilesModes.some((each) => each === text),
  },
  'forks.background.files': {
    of: ({ forks }) => forks.background.files,
    kind: 'text',
    about: 'What a background run does about files where you do not say: same, worktree or clean',
    expects: 'same, worktree or clean',
    fits: (text) => runFilesModes.some((each) => each === text),
  },
  'server.turns': {
    of: ({ server }) => server.turns,
    about: 'Turns that run at once for those who come in over HTTP',
    ...wholeNumber(1, 86_400),
  },
  'server.workspaces': {
    of: ({ server }) => server.workspaces,
    kind: 'list',
    about: 'Directories that sessions may begin in over HTTP',
    expects: 'a list like ["/home/me/projects"]',
  },
  'discord.token': {
    of: ({ discord }) => discord.token,
    kind: 'text',
    about: 'The token of your Discord bot',
    expects: 'what the developer portal gives as the token of a bot',
  },
  'discord.owner': {
    of: ({ discord }) => discord.owner,
    kind: 'text',
    about: 'Your id at Discord: whom the bot answers',
    expects: 'your id at Discord, a number of 17 to 20 digits',
    fits: (text) => /^[0-9]{17,20}$/.test(text),
  },
  'tui.theme': {
    of: ({ tui }) => tui.theme,
    kind: 'text',
    about: 'How the terminal UI looks; auto goes by the terminal',
    expects: 'auto, dark, light or plain',
    fits: (text) => themes.includes(text),
  },
  'sandbox.mode': {
    of: ({ sandbox }) => sandbox.mode,
    kind: 'text',
    about: 'Whether agents run in a sandbox; unset: auto for background runs, else off',
    expects: 'off, auto or on',
    fits: (text) => sandboxModes.some((mode) => mode === text),
  },
  'sandbox.network': {
    of: ({ sandbox }) => sandbox.network,
    kind: 'text',
    about: 'What a sandbox reaches of the network: on, off, or hosts',
    expects: 'on, off, or hosts like "github.com, *.npmjs.org, localhost:5432"',
    fits: (text) => networkAccessIn(text) !== null,
  },
  'worktree.setup': {
    of: ({ worktree }) => worktree.setup,
    kind: 'text',
    about: 'A command that makes a new worktree ready, like npm ci',
    expects: 'a command line',
  },
} satisfies Record<KeysOf<Config>, Words>

export const configOptions: readonly ConfigOption[] = Object.entries(options).map(([key, words]) => ({
  key,
  ...words,
}))

function wholeNumber(from: number, to: number, unit?: string): WholeNumber & Pick<Words, 'expects'> {
  return {
    kind: 'number',
    from,
    to,
    expects: `a whole number${unit ? ` of ${unit}` : ''} from ${from} to ${to}`,
  }
}

function modelOf(name: 'claude' | 'codex'): Words {
  return {
    kind: 'text',
    about: `The model of ${name} where a session names none`,
    expects: 'the name of a model',
    of: (config) => config[name].model,
  }
}

function executableOf(name: 'claude' | 'codex'): Words {
  return {
    kind: 'text',
    about: `The program of ${name}; else the first that is found`,
    expects: 'a path, or a name on the PATH',
    of: (config) => config[name].executable,
  }
}
