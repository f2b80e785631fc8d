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
  /** What its turns must say about the sandbox; null when the thread has it already. */
  readonly sandboxPolicy: Json | null
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
  sandbox: CodexSandbox,
): Promise<Thread> {
  const { start, cwd } = options
  // Without a directory, what the project's own config says does not count.
  const where = (await loadsSettings(options)) ? { cwd } : {}
  const { config } = configReply.parse(
    await server.request('config/read', { ...where, includeLayers: false }),
  )
  const policy = workspacePolicy(config.sandbox_workspace_write, options.sandbox?.writable ?? [])
  const settings = await settingsFor(server, withNote(options, sandbox), mcpServer, alwaysAsk(config))
  switch (start.kind) {
    case 'fresh': {
      // Codex would note a directory as trusted, for good, when a thread that may write is started in it.
      return {
        id: await askForThread(server, 'thread/start', { ...settings, sandbox: 'read-only' }),
        sandboxPolicy: policy,
      }
    }
    case 'resume':
    case 'fork': {
      const id = await askForThread(server, `thread/${start.kind}`, {
        ...settings,
        sandbox: 'workspace-write',
        threadId: start.nativeID,
        excludeTurns: true,
        ...(start.kind === 'fork' && { lastTurnId: start.at }),
      })
      return { id, sandboxPolicy: options.sandbox ? policy : null }
    }
  }
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
 */
function workspacePolicy(own: WorkspaceSettings, writable: readonly string[]): Json {
  return {
    type: 'workspaceWrite',
    writableRoots: [...(own?.writable_roots ?? []), ...writable],
    networkAccess: own?.network_access ?? false,
    excludeTmpdirEnvVar: own?.exclude_tmpdir_env_var ?? false,
    excludeSlashTmp: own?.exclude_slash_tmp ?? false,
  }
}
