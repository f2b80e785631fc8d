import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { Json } from '../../tree/message.ts'
import { sandboxNote } from '../../tree/prompts.ts'
import type { OpenOptions } from '../driver.ts'
import { promptWithInstructions } from '../project-instructions.ts'
import { alwaysAsk } from './always-ask.ts'
import type { AppServer } from './app-server.ts'
import type { CodexSandbox } from './approvals.ts'
import { loadsSettings, projectConfigFor } from './project-config.ts'
import { configReply, threadReply, type WorkspaceSettings } from './protocol.ts'
import { threadFailure } from './thread-failure.ts'

export interface Thread {
  readonly id: string
  /** The name of the permissions in its configuration that every turn has to ask for. */
  readonly permissions: string
}

/** How Codex starts the server with our tools. */
export interface McpServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts, resumes or forks a thread of Codex. */
export async function openThread(
  server: AppServer,
  options: OpenOptions,
  mcpServer: McpServer | null,
  { sandbox, login }: { readonly sandbox: CodexSandbox; readonly login: string },
): Promise<Thread> {
  const { start, cwd } = options
  // Without a directory, what the project's own config says does not count.
  const where = (await loadsSettings(options)) ? { cwd } : {}
  const { config } = configReply.parse(
    await server.request('config/read', { ...where, includeLayers: false }),
  )
  const writable = options.sandbox?.writable ?? []
  // While a command runs, an empty file may stand where a hidden one is missing: that must not look like a login.
  const hidden = existsSync(login) ? login : `${login}.none`
  // No settings of a project's can add to permissions whose name they do not know.
  const permissions = `bough-${randomBytes(8).toString('hex')}`
  const own = {
    ...alwaysAsk(config),
    [`permissions.${permissions}`]: workspacePermissions(config.sandbox_workspace_write, {
      ...{ writable, hidden: sandbox === 'keep' ? [hidden] : [] },
    }),
  }
  const settings = {
    ...(await settingsFor(server, withNote(options, sandbox), mcpServer, own)),
    // Codex would note a directory as trusted, for good, when a thread that may write is started in it.
    sandbox: 'read-only',
  }
  if (start.kind === 'fresh') return { id: await askForThread(server, 'thread/start', settings), permissions }
  const params = {
    ...settings,
    threadId: start.nativeID,
    excludeTurns: true,
    ...(start.kind === 'fork' && { lastTurnId: start.at }),
  }
  return { id: await askForThread(server, `thread/${start.kind}`, params), permissions }
}

const withNote = (options: OpenOptions, sandbox: CodexSandbox): OpenOptions =>
  sandbox === 'ask'
    ? options
    : { ...options, systemPrompt: [options.systemPrompt, sandboxNote].filter(Boolean).join('\n\n') }

async function settingsFor(
  server: AppServer,
  options: OpenOptions,
  mcpServer: McpServer | null,
  asking: Readonly<Record<string, Json>>,
) {
  const { cwd, model } = options
  const trusts = await loadsSettings(options)
  const [instructions, projectConfig] = await Promise.all([
    trusts ? options.systemPrompt : promptWithInstructions(options, ['AGENTS.override.md', 'AGENTS.md']),
    projectConfigFor(server, options, trusts),
  ])
  return {
    cwd,
    ...(model !== null && { model }),
    ...(instructions !== '' && { developerInstructions: instructions }),
    // Whatever the person's settings for Codex allow, everything is asked of our policy.
    approvalPolicy: 'untrusted',
    approvalsReviewer: 'user',
    config: {
      ...asking,
      // Otherwise a thread that nobody uses any more stays locked for other processes for a while.
      thread_unload_delay_secs: 0,
      ...projectConfig,
      ...(mcpServer && { 'mcp_servers.bough': { ...mcpServer, ...ownServer } }),
    },
  }
}

const ownServer = {
  default_tools_approval_mode: 'approve',
  // Otherwise a model is asked without our tools when their server takes more than a second to start.
  required: true,
  startup_timeout_sec: 30,
  // A tool of ours may wait for another session's turn.
  tool_timeout_sec: 86_400,
}

/** Starts, resumes or forks one, as `method` says; gives its id. */
export async function askForThread(server: AppServer, method: string, params: Json): Promise<string> {
  try {
    return threadReply.parse(await server.request(method, params)).thread.id
  } catch (cause) {
    throw threadFailure(cause)
  }
}

/**
 * Codex's own sandbox for a thread that may write in its directory, with the person's settings for it. In a sandbox of bough's,
 * Codex's lets through what that one lets through: committing in a worktree needs more than the directory.
 *
 * Codex runs nothing outside its sandbox while that hides a file (0.166.0). Otherwise it repeats an allowed command there when
 * the sandbox stops it, without a question, and starts there what a rule of the person's allows.
 */
function workspacePermissions(
  own: WorkspaceSettings,
  { writable, hidden }: { readonly writable: readonly string[]; readonly hidden: readonly string[] },
): Json {
  return {
    extends: ':workspace',
    filesystem: {
      ...(own?.exclude_tmpdir_env_var && { ':tmpdir': 'read' }),
      ...(own?.exclude_slash_tmp && { ':slash_tmp': 'read' }),
      ...Object.fromEntries(hidden.map((path) => [path, 'deny'])),
    },
    // Not among the paths above: there `*`, `?` and `[` would mean other names.
    workspace_roots: Object.fromEntries(
      [...(own?.writable_roots ?? []), ...writable].map((path) => [path, true]),
    ),
    network: { enabled: own?.network_access ?? false },
  }
}
