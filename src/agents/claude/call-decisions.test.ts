import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  claudeHome,
  lastBlock,
  startFakeAnthropic,
  text,
  toolUse,
} from '../../../test/support/fake-anthropic.ts'
import { untrusted } from '../../../test/support/project-access.ts'
import { until } from '../../../test/support/until.ts'
import type { AskPermission, PermissionRequest } from '../driver.ts'
import { createClaudeDriver } from './claude.ts'

type Hooks = Readonly<Record<string, object>>

/** A hook of the person's, which notes that it ran. */
const hook = (event: string, output: object, before = ''): Hooks => ({
  [event]: [
    {
      hooks: [
        {
          type: 'command',
          command: `touch hook-ran; ${before} echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...output } })}'`,
        },
      ],
    },
  ],
})

const other = { command: 'touch other', description: 'x' }

/** Claude with such hooks, whose model runs `touch asked`. */
async function ground(hooks: Hooks, askPermission: AskPermission) {
  const fake = await startFakeAnthropic((request) => ({
    content:
      lastBlock(request)?.type === 'tool_result'
        ? [text('done')]
        : [toolUse('Bash', { command: 'touch asked', description: 'x' })],
  }))
  onTestFinished(() => fake.close())
  const env = await claudeHome(fake)
  const permissions = { allow: ['Bash'] }
  writeFileSync(join(env.CLAUDE_CONFIG_DIR ?? '', 'settings.json'), JSON.stringify({ hooks, permissions }))
  const cwd = await mkdtemp(join(tmpdir(), 'claude-project-'))
  const asked: PermissionRequest[] = []
  const connection = await createClaudeDriver({ env, model: 'claude-sonnet-5' }).open({
    ...{ sessionID: 'ses_test', model: null, cwd, systemPrompt: '', start: { kind: 'fresh' } },
    ...{
      unsent: [],
      history: async () => [],
      tools: [],
      recordProcess: async () => {},
      project: untrusted(cwd),
    },
    askPermission: async (request, signal) => {
      asked.push(request)
      return askPermission(request, signal)
    },
  })
  onTestFinished(() => connection.close())
  const stop = new AbortController()
  const turn = () => Array.fromAsync(connection.send('go', stop.signal))
  return { turn, asked, stop, connection, exists: (name: string) => existsSync(join(cwd, name)) }
}

const allow: AskPermission = async () => ({ allow: true })

test('a question that cannot be asked is a denial, whatever other hooks say', async () => {
  const { turn, exists } = await ground(hook('PreToolUse', { permissionDecision: 'allow' }), () =>
    Promise.reject(new Error('the session was taken over')),
  )
  expect(await turn()).toContainEqual(
    expect.objectContaining({ type: 'tool-result', output: 'Denied: bough could not ask', exitCode: 1 }),
  )
  expect([exists('hook-ran'), exists('asked')]).toEqual([true, false])
})

test.each([
  ['at once', ''],
  // The approval is given long before.
  ['late', 'sleep 0.5;'],
])('a hook that rewrites a call %s does not change what was approved', async (_, before) => {
  const rewriting = { permissionDecision: 'allow', updatedInput: other }
  const { turn, exists, asked } = await ground(hook('PreToolUse', rewriting, before), allow)
  await turn()
  expect(asked).toMatchObject([{ tool: 'run', detail: 'touch asked' }])
  expect([exists('hook-ran'), exists('asked'), exists('other')]).toEqual([true, true, false])
})

test('a PermissionRequest hook does not change what was approved', async () => {
  const decision = { behavior: 'allow', updatedInput: other }
  const { turn, exists } = await ground(hook('PermissionRequest', { decision }), allow)
  await turn()
  expect([exists('asked'), exists('other')]).toEqual([true, false])
})

test('a hook that wants a question gets one, about what will run', async () => {
  const rewriting = { permissionDecision: 'ask', updatedInput: other }
  const { turn, asked } = await ground(hook('PreToolUse', rewriting), allow)
  await turn()
  expect(asked.map(({ detail }) => detail)).toEqual(['touch asked', 'touch other'])
})

test.each(['interrupted', 'closed'])('nothing runs when the turn is %s while it asks', async (how) => {
  const { turn, exists, asked, stop, connection } = await ground(
    hook('PermissionRequest', { decision: { behavior: 'allow' } }),
    (_, signal) =>
      new Promise((resolve) => {
        const denied = () => resolve({ allow: false, reason: 'the turn was interrupted' })
        signal.addEventListener('abort', denied)
      }),
  )
  const events = turn()
  await until('the question', () => asked.length === 1)
  if (how === 'closed') await connection.close()
  else stop.abort()
  await events
  expect(exists('asked')).toBe(false)
})
