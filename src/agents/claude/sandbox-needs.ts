import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Rule } from '../sandbox/rule.ts'
import type { Needs } from '../sandbox/sandbox.ts'

/** Folders that Claude writes. The rest of its directory is read-only: settings, instructions, plugins. */
const folders = [
  ...['projects', 'todos', 'tasks', 'plans', 'file-history', 'session-env', 'shell-snapshots'],
  ...['statsig', 'telemetry', 'debug', 'cache', 'backups', 'paste-cache'],
]

/** Claude renews the token with which a person has signed in: kept to itself, it would sign them out. */
const files = ['.credentials.json', 'history.jsonl', 'stats-cache.json']

/** Gives Claude in a sandbox its sessions, its account, and its settings to read. */
export async function claudeNeeds(env: NodeJS.ProcessEnv, reads: readonly string[]): Promise<Needs> {
  const home = env.HOME || homedir()
  const directory = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  // A mount needs its directory.
  for (const folder of folders) await mkdir(join(directory, folder), { recursive: true })
  const access = (access: Rule['access'], ...names: readonly string[]): readonly Rule[] =>
    names.map((name) => ({ path: join(directory, name), access }))
  return {
    endpoints: endpoints(env),
    rules: [
      ...reads.map((path) => ({ path, access: 'read' as const })),
      ...access('read', '.'),
      ...access('write', ...folders, ...files),
      // Which processes of Claude run, by numbers that mean something else in a sandbox.
      ...access('scratch', 'sessions'),
      { path: join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'), access: 'read' },
      ...(env.CLAUDE_CODE_USE_BEDROCK ? [{ path: join(home, '.aws'), access: 'read' } as const] : []),
      ...(env.CLAUDE_CODE_USE_VERTEX
        ? [{ path: join(home, '.config/gcloud'), access: 'read' } as const]
        : []),
    ],
    keeps: (name) =>
      /^(ANTHROPIC|CLAUDE)_/.test(name) ||
      (Boolean(env.CLAUDE_CODE_USE_BEDROCK) && name.startsWith('AWS_')) ||
      (Boolean(env.CLAUDE_CODE_USE_VERTEX) && name.startsWith('GOOGLE_')),
  }
}

// An endpoint that the person has named replaces the usual ones.
function endpoints(env: NodeJS.ProcessEnv): readonly string[] {
  const named = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL']
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1'
  const place = env.CLOUD_ML_REGION ?? 'global'
  const usual = [
    ...(env.CLAUDE_CODE_USE_BEDROCK ? [`https://bedrock-runtime.${region}.amazonaws.com`] : []),
    ...(env.CLAUDE_CODE_USE_VERTEX
      ? [
          `https://${place === 'global' ? '' : `${place}-`}aiplatform.googleapis.com`,
          'https://oauth2.googleapis.com',
        ]
      : []),
    // The last two renew what a person has signed in with.
    ...['https://api.anthropic.com', 'https://platform.claude.com', 'https://console.anthropic.com'],
  ]
  const own = named.flatMap((name) => env[name] || [])
  return own.length > 0 ? own : usual
}
