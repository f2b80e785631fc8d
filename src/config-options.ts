import type { Config } from './config.ts'

export type ConfigValue = string | number | readonly string[] | null

/** An option as a person names it, for help and for complaints. */
export interface ConfigOption {
  readonly key: string
  of(config: Config): ConfigValue
  readonly kind: 'text' | 'list' | 'number'
  readonly about: string
  /** What its value must be. */
  readonly expects: string
  /** Whether a text is one that a person would set; a file may hold what another version knows. */
  fits?(text: string): boolean
}

const agents = ['claude', 'codex', 'offline']
const themes = ['auto', 'dark', 'light', 'plain']

export const configOptions: readonly ConfigOption[] = [
  {
    key: 'agent',
    kind: 'text',
    about: 'The agent of new sessions; else the first that is set up',
    expects: 'the name of an agent: claude, codex or offline',
    fits: (text) => agents.includes(text),
    of: ({ agent }) => agent,
  },
  {
    key: 'model',
    kind: 'text',
    about: 'The model of new sessions',
    expects: 'the name of a model',
    of: ({ model }) => model,
  },
  ...ofAgent('claude'),
  ...ofAgent('codex'),
  {
    key: 'permissions.allow',
    of: ({ permissions }) => permissions.allow,
    kind: 'list',
    about: 'Tools that need no asking',
    expects: 'a list like ["read", "run(git status*)"]',
  },
  {
    key: 'permissions.deny',
    of: ({ permissions }) => permissions.deny,
    kind: 'list',
    about: 'Tools that are always denied',
    expects: 'a list like ["run(rm *)"]',
  },
  {
    key: 'permissions.timeout',
    of: ({ permissions }) => permissions.timeout,
    kind: 'number',
    about: 'Seconds until a question that nobody answers is denied',
    expects: 'a whole number of seconds from 1 to 86400',
  },
  {
    key: 'forks.person',
    of: ({ forks }) => forks.person,
    kind: 'text',
    about: 'What agents call you',
    expects: 'a name',
  },
  {
    key: 'forks.limit',
    of: ({ forks }) => forks.limit,
    kind: 'number',
    about: 'Background runs that go on at once',
    expects: 'a whole number from 1 to 86400',
  },
  {
    key: 'forks.idle',
    of: ({ forks }) => forks.idle,
    kind: 'number',
    about: 'Minutes until a fork in which nobody says anything is asked about',
    expects: 'a whole number of minutes from 1 to 86400',
  },
  {
    key: 'server.turns',
    of: ({ server }) => server.turns,
    kind: 'number',
    about: 'Turns that run at once for those who come in over HTTP',
    expects: 'a whole number from 1 to 86400',
  },
  {
    key: 'server.workspaces',
    of: ({ server }) => server.workspaces,
    kind: 'list',
    about: 'Directories that sessions may begin in over HTTP',
    expects: 'a list like ["/home/me/projects"]',
  },
  {
    key: 'discord.token',
    of: ({ discord }) => discord.token,
    kind: 'text',
    about: 'The token of your Discord bot',
    expects: 'what the developer portal gives as the token of a bot',
  },
  {
    key: 'discord.owner',
    of: ({ discord }) => discord.owner,
    kind: 'text',
    about: 'Your id at Discord: whom the bot answers',
    expects: 'your id at Discord, a number of 17 to 20 digits',
    fits: (text) => /^[0-9]{17,20}$/.test(text),
  },
  {
    key: 'tui.theme',
    of: ({ tui }) => tui.theme,
    kind: 'text',
    about: 'How the terminal UI looks; auto goes by the terminal',
    expects: 'auto, dark, light or plain',
    fits: (text) => themes.includes(text),
  },
  {
    key: 'worktree.setup',
    of: ({ worktree }) => worktree.setup,
    kind: 'text',
    about: 'A command that makes a new worktree ready, like npm ci',
    expects: 'a command line',
  },
]

function ofAgent(name: 'claude' | 'codex'): readonly ConfigOption[] {
  return [
    {
      key: `${name}.model`,
      kind: 'text',
      about: `The model of ${name} where a session names none`,
      expects: 'the name of a model',
      of: (config) => config[name].model,
    },
    {
      key: `${name}.executable`,
      kind: 'text',
      about: `The program of ${name}; else the first that is found`,
      expects: 'a path, or a name on the PATH',
      of: (config) => config[name].executable,
    },
  ]
}
