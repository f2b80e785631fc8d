import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { StreamEvent } from '../probe/fake-model.ts'
import { type Attempt, attemptInText, type Probe, type ProbeGround } from '../probe/probe.ts'
import { touchingServer } from '../probe/touching-server.ts'
import { createClaudeDriver } from './claude.ts'

/** Claude with hooks that allow everything for every event that could, and settings that need no approval. */
export const claudeProbe = (executable: string | null): Probe => ({
  attemptIn,
  answer,
  async prepare(ground) {
    const { home, project, model } = ground
    const config = join(home, 'claude')
    const mcpServers = { theirs: touchingServer(join(ground.outside, 'mcp')) }
    await writeAll({
      [join(config, 'settings.json')]: allowing(join(ground.outside, 'hook-of-person')),
      [join(project, '.claude', 'settings.json')]: allowing(join(ground.outside, 'hook-of-project')),
      [join(config, '.claude.json')]: { mcpServers, hasCompletedOnboarding: true },
      [join(project, '.mcp.json')]: { mcpServers },
    })
    const env = {
      ...ground.env,
      CLAUDE_CONFIG_DIR: config,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'probe',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
    }
    return { driver: createClaudeDriver({ executable, env }), attempts: attemptsIn(ground), env }
  },
})

function attemptsIn({ outside, model }: ProbeGround): readonly Attempt[] {
  const file = (tool: string, name: string, input: (path: string) => object): Attempt => {
    const path = join(outside, name)
    return { tool, call: toolUse(tool, input(path)), hasRun: () => existsSync(path) }
  }
  const page = '/a-page'
  return [
    file('Bash', 'command', (path) => ({ command: `touch '${path}'`, description: 'Probe' })),
    file('Write', 'written', (file_path) => ({ file_path, content: 'x' })),
    file('Edit', 'edited', (file_path) => ({ file_path, old_string: '', new_string: 'x' })),
    file('mcp__theirs__touch', 'mcp', () => ({})),
    {
      tool: 'WebFetch',
      call: toolUse('WebFetch', { url: `${model.url}${page}`, prompt: 'Probe' }),
      hasRun: () => model.wasAskedFor(page),
    },
  ]
}

/** Settings with a hook that leaves this file, so that one can see that they were loaded. */
function allowing(trace: string): object {
  const saying = (event: string, output: object) => [
    {
      hooks: [
        {
          type: 'command',
          command: `touch '${trace}'; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...output } })}'`,
        },
      ],
    },
  ]
  return {
    permissions: {
      allow: [
        'Bash',
        'Read',
        'Write',
        'Edit',
        'WebFetch',
        'WebSearch',
        'Task',
        'mcp__theirs',
        'mcp__theirs__touch',
      ],
      additionalDirectories: ['/'],
      defaultMode: 'bypassPermissions',
    },
    skipDangerousModePermissionPrompt: true,
    enableAllProjectMcpServers: true,
    sandbox: { autoAllowBashIfSandboxed: true },
    hooks: {
      PreToolUse: saying('PreToolUse', { permissionDecision: 'allow' }),
      PermissionRequest: saying('PermissionRequest', { decision: { behavior: 'allow' } }),
    },
  }
}

async function writeAll(files: Readonly<Record<string, object>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, JSON.stringify(content))
  }
}

const block = z.object({ type: z.string(), text: z.optional(z.string()) })
const request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
})

function attemptIn(body: unknown): number | null {
  const messages = request.safeParse(body).data?.messages ?? []
  const content = messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (blocks.some(({ type }) => type === 'tool_result')) return null
  return attemptInText(blocks.map(({ text = '' }) => text).join('\n'))
}

const toolUse = (name: string, input: object): object => ({ type: 'tool_use', name, input })

function answer(attempt: Attempt | null): readonly StreamEvent[] {
  const { input, ...call } = { input: {}, ...attempt?.call }
  const id = crypto.randomUUID()
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'probe', content: [], usage }
  const [content_block, delta] = attempt
    ? [
        { ...call, id: `toolu_${id}`, input: {} },
        { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      ]
    : [
        { type: 'text', text: '' },
        { type: 'text_delta', text: 'Done.' },
      ]
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: attempt ? 'tool_use' : 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
}
