import { join } from 'node:path'
import type { Rule } from './rule.ts'

/** Where people keep keys, tokens and passwords, below their home directory. */
const credentials = [
  ...['.ssh', '.gnupg', '.password-store', '.netrc', '.git-credentials', '.config/git/credentials'],
  ...[
    '.aws',
    '.azure',
    '.config/gcloud',
    '.config/gh',
    '.config/hub',
    '.config/glab-cli',
    '.kube',
    '.docker',
  ],
  ...['.npmrc', '.yarnrc', '.pypirc', '.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials'],
  ...['.m2/settings.xml', '.gradle/gradle.properties', '.terraform.d/credentials.tfrc.json', '.vault-token'],
  ...['.local/share/keyrings', '.mozilla', '.config/google-chrome', '.config/chromium', '.thunderbird'],
  ...['.Xauthority', '.ICEauthority', 'Library/Keychains', 'Library/Cookies', 'Library/Safari'],
  ...['Library/Application Support/Google/Chrome', 'Library/Application Support/Firefox'],
]

/** What agents keep, below the home directory: only the agent itself needs its own. */
const agents = ['.claude', '.claude.json', '.codex', '.gemini', '.config/opencode', '.local/share/opencode']

/** Directories in which programs listen on sockets, and other people's temporary files. */
export const sharedPlaces = ['/tmp', '/var/tmp', '/run', '/var/run']

/** Parts of /run that programs read to find themselves and the names of hosts. */
const neededOfRun = ['/run/systemd/resolve', '/run/resolvconf', '/run/current-system', '/run/opengl-driver']

/** What no agent gets to see, whichever it is and wherever it works. */
export function hiddenPlaces(env: NodeJS.ProcessEnv, home: string): readonly Rule[] {
  const own = [env.CLAUDE_CONFIG_DIR, env.CODEX_HOME].filter((path) => path !== undefined && path !== '')
  return [
    ...rules('scratch', sharedPlaces),
    ...rules('read', neededOfRun),
    // Where it lies in a directory for temporary files.
    { path: home, access: 'read' },
    ...rules(
      'hidden',
      [...credentials, ...agents].map((name) => join(home, name)),
    ),
    ...rules(
      'hidden',
      own.flatMap((path) => path ?? []),
    ),
  ]
}

const rules = (access: Rule['access'], paths: readonly string[]): readonly Rule[] =>
  paths.map((path) => ({ path, access }))
