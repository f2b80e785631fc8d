import { commandsIn } from './commands-in.ts'
import { isLauncher } from './launchers.ts'
import { simpleCommand } from './simple-command.ts'

/** What an approval of a command can cover beside this one call. */
export type Reach =
  /** The program and its subcommand, whatever follows. */
  | { readonly kind: 'prefix'; readonly words: string }
  | { readonly kind: 'exact' }
  /** A chain, a redirection, a substitution: no rule matches it. */
  | { readonly kind: 'not-simple' }
  /** It, or a part of it, runs commands or code that its arguments name. */
  | { readonly kind: 'launcher' }

export function reachOf(line: string): Reach {
  const words = simpleCommand(line)
  if (words === null)
    return { kind: commandsIn(line).some((each) => each.isLauncher) ? 'launcher' : 'not-simple' }
  const [program = '', subcommand = '', next = ''] = words
  if (isLauncher(program)) return { kind: 'launcher' }
  const known = Object.hasOwn(subcommands, program) ? subcommands[program] : undefined
  if (!known || !isSubcommand(subcommand) || known.exact?.includes(subcommand)) return { kind: 'exact' }
  if (!known.nested?.includes(subcommand)) return { kind: 'prefix', words: `${program} ${subcommand}` }
  return isSubcommand(next)
    ? { kind: 'prefix', words: `${program} ${subcommand} ${next}` }
    : { kind: 'exact' }
}

// Neither an option nor a path.
const isSubcommand = (word: string): boolean => /^[A-Za-z][\w:.-]{0,39}$/.test(word)

interface Subcommands {
  /** They say too little without the word after them: `npm run build`, `git stash drop`. */
  readonly nested?: readonly string[]
  /** They run any command, or set what others run. */
  readonly exact?: readonly string[]
}

const scripts: Subcommands = {
  nested: ['run', 'run-script', 'workspace', 'cache'],
  exact: ['exec', 'x', 'dlx', 'explore', 'config', 'set', 'node', 'create', 'init'],
}
const containers: Subcommands = {
  nested: ['compose', 'container', 'image', 'volume', 'network', 'system', 'buildx'],
  exact: ['run', 'exec', 'create', 'plugin', 'context'],
}

/** Programs whose first word says what they do. */
const subcommands: Readonly<Record<string, Subcommands>> = {
  git: {
    nested: ['stash', 'remote', 'worktree', 'notes', 'bundle', 'lfs', 'reflog', 'sparse-checkout'],
    exact: ['config', 'bisect', 'submodule', 'filter-branch', 'rebase', 'difftool', 'mergetool', 'hook'],
  },
  npm: scripts,
  pnpm: scripts,
  yarn: scripts,
  docker: containers,
  podman: containers,
  kubectl: { nested: ['config', 'rollout', 'auth'], exact: ['exec', 'run', 'debug', 'plugin'] },
  gh: {
    nested: ['pr', 'issue', 'repo', 'run', 'release', 'workflow', 'label', 'cache', 'search'],
    exact: ['api', 'alias', 'extension', 'config', 'codespace', 'auth', 'secret'],
  },
  cargo: { exact: ['run', 'install', 'config'] },
  go: { nested: ['mod', 'work'], exact: ['run', 'generate', 'tool', 'env'] },
  uv: { nested: ['pip'], exact: ['run', 'tool'] },
  pip: { exact: ['config'] },
  pip3: { exact: ['config'] },
  poetry: { exact: ['run', 'shell', 'config'] },
  bundle: { exact: ['exec', 'config', 'plugin'] },
  composer: { nested: ['run-script'], exact: ['exec', 'config', 'global'] },
  dotnet: { nested: ['nuget', 'tool', 'sln'], exact: ['run', 'exec', 'script'] },
  mix: { exact: ['run', 'eval', 'cmd'] },
  terraform: { nested: ['state', 'workspace'], exact: ['console'] },
  helm: { nested: ['repo', 'get'], exact: ['plugin'] },
  brew: { nested: ['services'], exact: ['sh', 'ruby', 'irb'] },
  rustup: { nested: ['toolchain', 'target', 'component'], exact: ['run'] },
  swift: { exact: ['repl', 'run'] },
  jj: { nested: ['git', 'bookmark', 'operation', 'workspace'], exact: ['config', 'util', 'fix', 'run'] },
}
