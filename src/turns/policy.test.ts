import { expect, it } from 'vitest'
import type { PermissionRequest } from '../agents/driver.ts'
import { decide, type Policy } from './policy.ts'

const run = (detail: string): PermissionRequest => ({ tool: 'run', action: 'run', detail })
const write: PermissionRequest = { tool: 'write', action: 'write', detail: 'a.txt', path: '/p/a.txt' }
const policy = (allow: string[], deny: string[]): Policy => ({ allow, deny, timeout: 1000 })

it('permission to write inside the session’s directory is granted by default, run asks', () => {
  expect(decide(policy([], []), write, 'session-directory')).toBe('allow')
  expect(decide(policy([], []), write, 'elsewhere')).toBe('ask')
  expect(decide(policy([], []), run('ls'), 'elsewhere')).toBe('ask')
})

it('the deny list wins over the allow list, and both over asking', () => {
  expect(decide(policy(['run'], []), run('ls'), 'elsewhere')).toBe('allow')
  expect(decide(policy(['run'], ['run(rm *)']), run('rm -rf /'), 'elsewhere')).toBe('deny')
  expect(decide(policy([], ['write']), write, 'session-directory')).toBe('deny')
})

it('a rule matches a tool, a beginning or an exact detail, and nothing more', () => {
  const rules = policy(['run(git status*)', 'run(ls)'], [])
  expect(decide(rules, run('git status -s'), 'elsewhere')).toBe('allow')
  expect(decide(rules, run('git push'), 'elsewhere')).toBe('ask')
  expect(decide(rules, run('ls'), 'elsewhere')).toBe('allow')
  expect(decide(rules, run('ls -l'), 'elsewhere')).toBe('ask')
  expect(decide(policy(['ru'], []), run('ls'), 'elsewhere')).toBe('ask')
})

it.each([
  'git status; rm -rf ~',
  'git status && x',
  'git status | sh',
  'git status $(x)',
  'git status > f',
  'git status\nx',
])('a rule for a beginning does not allow %j, which holds more than one command', (command) => {
  expect(decide(policy(['run(git status*)'], []), run(command), 'elsewhere')).toBe('ask')
  expect(decide(policy([], ['run(git status*)']), run(command), 'elsewhere')).toBe('deny')
  expect(decide(policy(['run'], []), run(command), 'elsewhere')).toBe('allow')
})

it('bough’s own data is denied to file tools, whatever the allow list says', () => {
  expect(decide(policy(['write'], []), write, 'bough-data')).toBe('deny')
})

it('what agents and git take their commands from may be read freely, and is asked before it is written', () => {
  const read: PermissionRequest = { ...write, tool: 'read', action: 'read' }
  expect(decide(policy([], []), read, 'session-settings')).toBe('allow')
  expect(decide(policy([], []), write, 'session-settings')).toBe('ask')
  expect(decide(policy(['write'], []), write, 'session-settings')).toBe('allow')
})
