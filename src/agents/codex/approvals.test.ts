import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, customCall, msg } from '../../../test/support/fake-openai.ts'
import type { PermissionAnswer, PermissionRequest } from '../driver.ts'
import { Approvals } from './approvals.ts'
import { shapeOf, startRig } from './test-rig.ts'

const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')

/** A model that Codex gives its tool for patches. */
const patcher = 'gpt-5.5'

test('a command is asked as a person would type it, and runs when it is allowed', async () => {
  const rig = await startRig()
  const { turn, asked } = await rig.open()
  const command = `echo 'it''s' "$((1 + 1))" > a.txt && cat a.txt`
  expect(shapeOf(await turn(`run ${command}`))).toContain('result run 0 its 2\n')
  expect(asked).toMatchObject([{ tool: 'run', action: 'run', detail: command }])
  expect(await readFile(join(rig.cwd, 'a.txt'), 'utf8')).toBe('its 2\n')
})

test('a command that is denied does not run, and the turn goes on', async () => {
  const rig = await startRig()
  const { turn } = await rig.open({ askPermission: async () => ({ allow: false, reason: 'not today' }) })
  expect(shapeOf(await turn('run touch a.txt'))).toEqual([
    'native-session',
    'text: I run it.',
    'call run {"command":"touch a.txt"}',
    'message-finished',
    'result run 1 Denied: not today',
    'message-finished',
    'text: That was it.',
    'message-finished',
    'done',
  ])
  expect(existsSync(join(rig.cwd, 'a.txt'))).toBe(false)
  expect(rig.heard().at(-1)).toContain('rejected by user')
})

test('a question that fails is answered with no', async () => {
  const rig = await startRig()
  const { turn } = await rig.open({ askPermission: () => Promise.reject(new Error('lost')) })
  const shape = shapeOf(await turn('run touch a.txt'))
  expect(shape).toContain('result run 1 It was declined.')
  expect(shape.at(-1)).toBe('done')
  expect(existsSync(join(rig.cwd, 'a.txt'))).toBe(false)
})

test('threads that ask at the same time get each their own answer', async () => {
  const rig = await startRig()
  const bothAsked = Promise.withResolvers<void>()
  let questions = 0
  const ask = (answer: PermissionAnswer) => async () => {
    if (++questions === 2) bothAsked.resolve()
    await bothAsked.promise
    return answer
  }
  const [one, two] = [
    await rig.open({ askPermission: ask({ allow: true }) }),
    await rig.open({ askPermission: ask({ allow: false, reason: 'no' }) }),
  ]
  const [first, second] = await Promise.all([one.turn('run touch one'), two.turn('run touch two')])
  expect(shapeOf(first)).toContain('result run 0 ')
  expect(shapeOf(second)).toContain('result run 1 Denied: no')
  expect([existsSync(join(rig.cwd, 'one')), existsSync(join(rig.cwd, 'two'))]).toEqual([true, false])
})

test('a patch is asked file by file, and is applied when all are allowed', async () => {
  const change = patch(
    ...['*** Add File: new.txt', '+hi', '*** Delete File: old.txt'],
    ...['*** Update File: from.txt', '*** Move to: to.txt', '@@', '-a', '+b'],
  )
  const rig = await startRig((prompt) => ({
    items: [prompt === '' ? msg('Done.') : customCall('apply_patch', change)],
  }))
  await writeFile(join(rig.cwd, 'old.txt'), 'old\n')
  await writeFile(join(rig.cwd, 'from.txt'), 'a\n')
  const { turn, asked } = await rig.open({ model: patcher })
  const events = await turn('Patch it')
  const paths = ['new.txt', 'old.txt', 'from.txt', 'to.txt'].map((name) => join(rig.cwd, name))
  expect(asked.map(({ tool, action, path, detail }) => [tool, action, path === detail])).toEqual(
    paths.map(() => ['write', 'write', true]),
  )
  expect(asked.map(({ path }) => path).toSorted()).toEqual(paths.toSorted())
  expect(asked.filter(({ linkItself }) => linkItself).map(({ path }) => path)).toEqual(
    expect.arrayContaining([join(rig.cwd, 'old.txt'), join(rig.cwd, 'from.txt')]),
  )
  const [callID] = new Set(asked.map((request) => request.callID))
  expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
    callID,
    name: 'apply_patch',
    args: { changes: expect.arrayContaining([{ path: paths[0], kind: 'add', diff: 'hi\n' }]) },
  })
  expect(await readFile(join(rig.cwd, 'to.txt'), 'utf8')).toBe('b\n')
  expect(existsSync(join(rig.cwd, 'old.txt'))).toBe(false)
})

test('a patch in a command is asked as a patch, and one file that is denied stops all of it', async () => {
  const change = patch('*** Add File: fine.txt', '+1', '*** Add File: secret.txt', '+2')
  const rig = await startRig((prompt) => ({
    items: [
      prompt === '' ? msg('Well.') : call('exec_command', { cmd: `apply_patch <<'EOF'\n${change}\nEOF\n` }),
    ],
  }))
  const { turn } = await rig.open({
    askPermission: async ({ detail }) =>
      detail.endsWith('secret.txt') ? { allow: false, reason: 'hands off' } : { allow: true },
  })
  expect(shapeOf(await turn('Patch it'))).toContain('result apply_patch 1 Denied: hands off')
  expect(existsSync(join(rig.cwd, 'fine.txt'))).toBe(false)
})

const question = {
  ...{ id: 'a', header: 'Name', question: 'Which?' },
  options: ['One', 'Two'].map((label) => ({ label, description: label })),
}

test.each([
  ['request_user_input', 'default_mode_request_user_input', { questions: [question] }, '{"answers":{}}'],
  [
    'request_permissions',
    'request_permissions_tool',
    { reason: 'x', permissions: { network: { enabled: true } } },
    '"network":null',
  ],
])('%s is refused, and the turn goes on', async (tool, feature, args, output) => {
  const rig = await startRig((prompt) => ({ items: [prompt === '' ? msg('Well.') : call(tool, args)] }))
  await rig.configure('[features]', `[features]\n${feature} = true`)
  const { turn } = await rig.open()
  const events = await turn('Go')
  expect(shapeOf(events)).toEqual(['native-session', 'text: Well.', 'message-finished', 'done'])
  expect(rig.heard().at(-1)).toContain(output)
})

test('Codex remembers no approval: the same command is asked again', async () => {
  const rig = await startRig()
  const { turn, asked } = await rig.open()
  await turn('run echo one')
  await turn('run echo one')
  expect(asked).toMatchObject([{ detail: 'echo one' }, { detail: 'echo one' }])
})

test('an answer counts for one call, and a command that runs elsewhere, or has no name, is asked as that', async () => {
  const asked: PermissionRequest[] = []
  const approvals = new Approvals({
    cwd: '/p',
    sandbox: 'keep',
    leavesSandbox: async () => false,
    askPermission: async (request) => {
      asked.push(request)
      return { allow: true }
    },
  })
  const params = { threadId: 't', turnId: 'u', itemId: 'i', command: 'rm z', cwd: '/b' }
  const method = 'item/commandExecution/requestApproval'
  const signal = new AbortController().signal
  expect(await approvals.answer({ method, params }, signal)).toEqual({ decision: 'accept' })
  await approvals.answer(
    { method, params: { ...params, itemId: 'j', command: null, reason: 'npm test' } },
    signal,
  )
  await approvals.answer({ method, params: { ...params, itemId: 'k', kind: 'writeStdin' } }, signal)
  expect(asked).toMatchObject([
    { tool: 'run', detail: 'in /b: rm z', command: 'rm z' },
    { tool: 'run', detail: 'a command that Codex does not name: npm test', command: '', eachTime: true },
    { tool: 'type into a command', detail: 'rm z', eachTime: true },
  ])
})
