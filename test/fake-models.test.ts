import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Options, query, type SDKResultMessage } from '@anthropic-ai/claude-agent-sdk'
import { expect, onTestFinished, test } from 'vitest'
import { codexHome } from './support/codex-home.ts'
import * as anthropic from './support/fake-anthropic.ts'
import * as openai from './support/fake-openai.ts'
import { until } from './support/until.ts'

test('Claude Code is told what the fake says, and the fake what Claude Code was asked', async () => {
  const usage = { input_tokens: 40, output_tokens: 7, cache_read_input_tokens: 500 }
  const fake = await fakeAnthropic(() => ({
    content: [anthropic.text('Hello, I am a fake 🌳.')],
    chunk: 1,
    usage,
  }))

  const result = await askClaude(fake, 'Who are you?')

  expect(result).toMatchObject({ subtype: 'success', result: 'Hello, I am a fake 🌳.', usage })
  expect(fake.requests.map(({ body }) => anthropic.plain(body.messages))).toEqual([['user: Who are you?']])
  expect(fake.requests[0]).toMatchObject({
    aborted: false,
    reply: [anthropic.text('Hello, I am a fake 🌳.')],
    usage: { ...usage, cache_creation_input_tokens: 0 },
  })
})

test('Claude Code runs the tool that the fake calls', async () => {
  const fake = await fakeAnthropic((request) => {
    const prompt = anthropic.lastPrompt(request)
    if (prompt === null)
      return { content: [anthropic.text(`It said ${anthropic.lastBlock(request)?.content}.`)] }
    const run = anthropic.toolUse('Bash', { command: prompt, description: 'as asked' }, 'toolu_1')
    return { content: [anthropic.thinking('I should run that.'), run] }
  })

  expect(await askClaude(fake, 'echo leaves')).toMatchObject({ result: 'It said leaves.' })

  const conversation = anthropic.plain(fake.requests.at(-1)?.body.messages ?? [])
  expect(conversation).toHaveLength(3)
  expect(conversation[0]).toBe('user: echo leaves')
  expect(conversation[1]).toContain('<tool_use Bash {"command":"echo leaves"')
  expect(conversation[2]).toBe('user: <tool_result leaves>')
})

test('Claude Code says what the fake refuses', async () => {
  const fake = await fakeAnthropic(() => ({
    status: 400,
    error: { type: 'invalid_request_error', message: 'not today' },
  }))
  const refused = askClaude(fake, 'Hello').then(
    (result) => JSON.stringify(result),
    (error: unknown) => String(error),
  )
  expect(await refused).toContain('not today')
  expect(fake.requests[0]).toMatchObject({ reply: null, usage: null })
})

test('Codex is told what the fake says, and the fake what Codex was asked', async () => {
  const usage = { input_tokens: 40, output_tokens: 7 }
  const fake = await fakeOpenAI(() => ({ items: [openai.msg('Hello, I am a fake 🌳.')], chunk: 1, usage }))

  expect(await askCodex(fake, 'Who are you?')).toMatchObject({ stdout: 'Hello, I am a fake 🌳.\n', code: 0 })

  expect(fake.requests.map(({ body }) => openai.plain(body.input))).toEqual([['user: Who are you?']])
  expect(fake.requests[0]).toMatchObject({
    aborted: false,
    reply: [{ type: 'message' }],
    usage: { ...usage, total_tokens: 47 },
  })
})

test('Codex runs the tool that the fake calls', async () => {
  const fake = await fakeOpenAI(({ input }) => {
    const answered = input.some(({ type }) => type === 'function_call_output')
    if (answered) return { items: [openai.msg('It has run.')] }
    return {
      items: [openai.reasoning('I should run that.'), openai.call('exec_command', { cmd: 'echo leaves' })],
    }
  })

  expect(await askCodex(fake, 'echo leaves')).toMatchObject({ stdout: 'It has run.\n', code: 0 })

  const conversation = openai.plain(fake.requests.at(-1)?.body.input ?? [])
  expect(conversation.slice(0, 3)).toEqual([
    'user: echo leaves',
    '<reasoning>',
    'call exec_command {"cmd":"echo leaves"}',
  ])
  expect(conversation[3]).toMatch(/^output .*leaves/s)
})

test('Codex says what the fake refuses', async () => {
  const fake = await fakeOpenAI(() => ({ status: 400, error: { message: 'not today' } }))
  const { code, stderr } = await askCodex(fake, 'Hello')
  expect(code).not.toBe(0)
  expect(stderr).toContain('not today')
  expect(fake.requests).toHaveLength(1)
})

test('Codex heeds extra lines of its configuration: keys of the provider, then tables', async () => {
  const fake = await fakeOpenAI(() => ({ delayMs: 60_000 }))
  const { stderr } = await askCodex(fake, 'Hello', 'stream_idle_timeout_ms = 300\n[tui]\nanimations = false')
  expect(stderr).toContain('idle timeout')
  expect(fake.requests).toHaveLength(1)
})

test('Codex gets nothing from the environment of the test but where programs are', async () => {
  const env = await codexHome({ url: 'http://127.0.0.1:1/v1' })
  const proxies = ['ALL_PROXY', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
  expect(Object.keys(env).sort()).toEqual(
    [...proxies, 'CODEX_HOME', 'FAKE_KEY', 'HOME', 'PATH', 'TMPDIR'].sort(),
  )
})

const doors = [
  {
    api: 'Anthropic',
    start: fakeAnthropic,
    path: '/v1/messages',
    body: { model: 'm', stream: true, messages: [] },
  },
  { api: 'OpenAI', start: fakeOpenAI, path: '/responses', body: { model: 'm', stream: true, input: [] } },
] as const

test.each(doors)('a fake of $api that hangs can be closed, twice', async ({ start, path, body }) => {
  const fake = await start(() => ({ hang: true }))
  const answer = post(fake.url + path, body).then(
    () => 'answered',
    () => 'cut off',
  )
  await until('the request to arrive', () => fake.requests.length === 1)

  await fake.close()
  await fake.close()

  expect(await answer).toBe('cut off')
  expect(fake.requests[0]).toMatchObject({ body, raw: JSON.stringify(body), aborted: true, reply: null })
})

test.each(doors)('a fake of $api sends garbage as it is', async ({ start, path, body }) => {
  const fake = await start(() => ({ garbage: 'data: {"half' }))
  const answer = await post(fake.url + path, body)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(await answer.text()).toBe('data: {"half')
})

test.each(doors)('a fake of $api notes who went away in the middle', async ({ start, path, body }) => {
  const fake = await start(() => ({ delayMs: 60_000 }))
  const client = new AbortController()
  await post(fake.url + path, body, client.signal)
  client.abort()
  await until('the fake to notice', () => fake.requests[0]?.aborted)
})

test.each(doors)('a fake of $api tells the client when its test did not expect the request', async (door) => {
  const fake = await door.start(() => {
    throw new Error('nobody asks this')
  })
  const answer = await post(fake.url + door.path, door.body)
  expect(answer.status).toBe(500)
  expect(await answer.text()).toContain('nobody asks this')
})

async function fakeAnthropic(
  ...args: Parameters<typeof anthropic.startFakeAnthropic>
): Promise<anthropic.FakeAnthropic> {
  const fake = await anthropic.startFakeAnthropic(...args)
  onTestFinished(() => fake.close())
  return fake
}

async function fakeOpenAI(...args: Parameters<typeof openai.startFakeOpenAI>): Promise<openai.FakeOpenAI> {
  const fake = await openai.startFakeOpenAI(...args)
  onTestFinished(() => fake.close())
  return fake
}

const newDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'work-'))

async function askClaude(fake: anthropic.FakeAnthropic, prompt: string): Promise<SDKResultMessage> {
  const options: Options = {
    cwd: await newDirectory(),
    model: 'claude-sonnet-5',
    permissionMode: 'default',
    settingSources: [],
    allowedTools: ['Bash'],
    env: await anthropic.claudeHome(fake),
  }
  for await (const message of query({ prompt, options })) {
    if (message.type === 'result') return message
  }
  throw new Error('Claude Code ended without a result.')
}

async function askCodex(fake: openai.FakeOpenAI, prompt: string, extra = '') {
  const codex = fileURLToPath(new URL('../node_modules/@openai/codex/bin/codex.js', import.meta.url))
  const child = spawn(process.execPath, [codex, 'exec', '--skip-git-repo-check', prompt], {
    cwd: await newDirectory(),
    env: await codexHome(fake, extra),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ])
  return { stdout, stderr, code: child.exitCode }
}

const post = (url: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })

test('an agent that wants to reach anybody else is seen, and does not', async () => {
  const fake = await fakeAnthropic(() => ({}))
  const env = await anthropic.claudeHome(fake)
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '-e',
      `for (const url of ['http://example.com/a', 'https://example.com/b'])
         await fetch(url).then(() => console.log('reached'), () => console.log('not reached'))`,
    ],
    { env: { ...env, NODE_USE_ENV_PROXY: '1' } },
  )
  expect(stdout).toBe('not reached\nnot reached\n')
  expect(fake.outside).toEqual(['http://example.com/a', 'example.com:443'])
})
