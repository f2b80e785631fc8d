import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { StreamEvent } from '../probe/fake-model.ts'
import { type Attempt, attemptInText, type Probe, type ProbeGround } from '../probe/probe.ts'
import { touchingServer } from '../probe/touching-server.ts'
import { AppServer } from './app-server.ts'
import { createCodexDriver } from './codex.ts'
import { findCodex } from './find-codex.ts'

/** Codex with a trusted project, hooks that allow everything, and settings that need no approval. Rules are left out: see `rules.ts`. */
export const codexProbe = (executable: string | null): Probe => ({
  attemptIn,
  answer,
  async prepare(ground) {
    const { home, project } = ground
    const codexHome = join(home, 'codex')
    const env = { ...ground.env, CODEX_HOME: codexHome, PROBE_KEY: 'probe' }
    const program = await findCodex({ PATH: process.env.PATH }, executable)
    await mkdir(codexHome)
    await mkdir(join(project, '.codex'))
    const file = join(codexHome, 'config.toml')
    const settings = configOfPerson(ground)
    await writeFile(join(project, '.codex', 'config.toml'), `${unasked}\n${hooks(ground.outside)}`)
    await writeFile(file, settings)
    await writeFile(file, `${settings}\n${await trustIn(program, env, project)}`)
    const driver = createCodexDriver({
      ...{ executable: program, env, mcpCommand: [], worktreesOf: async () => [project] },
    })
    return { driver, attempts: attemptsIn(ground), env }
  },
})

const unasked = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\n'

const configOfPerson = ({ model, project, outside }: ProbeGround): string => `${unasked}
model = "probe"
model_provider = "probe"
check_for_update_on_startup = false

[model_providers.probe]
name = "probe"
base_url = "${model.url}/v1"
env_key = "PROBE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[features]
plugins = false

[analytics]
enabled = false

# What an attempt touches can be written, but /tmp cannot: Codex would leave a "/tmp/.git" there.
[sandbox_workspace_write]
writable_roots = [${JSON.stringify(outside)}]
exclude_slash_tmp = true

[projects.${JSON.stringify(project)}]
trust_level = "trusted"

${server(join(outside, 'mcp'))}
${hooks(outside)}
`

function server(file: string): string {
  const { command, args } = touchingServer(file)
  return `[mcp_servers.theirs]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
default_tools_approval_mode = "approve"

[mcp_servers.theirs.tools.touch]
approval_mode = "approve"
`
}

const hooks = (outside: string): string =>
  [
    ['PreToolUse', { permissionDecision: 'allow' }],
    ['PermissionRequest', { decision: { behavior: 'allow' } }],
  ]
    .map(([event, output]) => {
      const said = JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...Object(output) } })
      const command = JSON.stringify(`touch '${join(outside, 'hook')}'; echo '${said}'`)
      return `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\ntype = "command"\ncommand = ${command}\n`
    })
    .join('\n')

const hooksReply = z.object({
  data: z.array(z.object({ hooks: z.array(z.object({ key: z.string(), currentHash: z.string() })) })),
})

/** Settings with which Codex runs the hooks that it finds: it wants to be told of each that it is trusted. */
async function trustIn(program: string, env: NodeJS.ProcessEnv, project: string): Promise<string> {
  const appServer = AppServer.start(program, env)
  try {
    await appServer.begin()
    const { data } = hooksReply.parse(await appServer.request('hooks/list', { cwds: [project] }))
    return data
      .flatMap((directory) => directory.hooks)
      .map(
        ({ key, currentHash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${currentHash}"\n`,
      )
      .join('\n')
  } finally {
    await appServer.end()
  }
}

function attemptsIn({ outside }: ProbeGround): readonly Attempt[] {
  const file = (tool: string, name: string, call: (path: string) => object): Attempt => {
    const path = join(outside, name)
    return { tool, call: call(path), hasRun: () => existsSync(path) }
  }
  const patch = (path: string): string => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`
  return [
    file('exec_command', 'command', (path) => functionCall('exec_command', { cmd: `touch '${path}'` })),
    file('apply_patch', 'patched', (path) =>
      functionCall('exec_command', { cmd: `apply_patch <<'EOF'\n${patch(path)}\nEOF` }),
    ),
    file('mcp__theirs.touch', 'mcp', () => ({ ...functionCall('touch', {}), namespace: 'mcp__theirs' })),
  ]
}

const functionCall = (name: string, args: object): object => ({
  type: 'function_call',
  name,
  arguments: JSON.stringify(args),
})

const item = z.object({
  role: z.optional(z.string()),
  content: z.nullish(z.union([z.string(), z.array(z.object({ text: z.optional(z.string()) }))])),
})
const request = z.object({ input: z.array(item) })

function attemptIn(body: unknown): number | null {
  const { role, content } = request.safeParse(body).data?.input.at(-1) ?? {}
  if (role !== 'user') return null
  return attemptInText(
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n'),
  )
}

function answer(attempt: Attempt | null): readonly StreamEvent[] {
  const id = crypto.randomUUID()
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }
  const part = attempt ? { ...attempt.call, call_id: `call_${id}` } : said
  const response = { id: `resp_${id}`, object: 'response', status: 'in_progress', output: [] }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.done', output_index: 0, item: { ...part, id: `item_${id}` } },
    { type: 'response.completed', response: { ...response, status: 'completed', usage } },
  ]
}
