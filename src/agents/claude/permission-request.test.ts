import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requestOf } from './permission-request.ts'

test.each<[string, Readonly<Record<string, unknown>>, string]>([
  ['the directory', { pattern: '**/*.ts' }, '/project'],
  ['the path that is given', { pattern: '*.ts', path: 'src' }, '/project/src'],
  ['where an absolute pattern begins', { pattern: '/etc/ssh/*_key' }, '/etc/ssh'],
  ['the directory of a name that goes on behind a wildcard', { pattern: '/project*/*' }, '/'],
  ['the same where it climbs', { pattern: '../pro*/*', path: 'src/deep' }, '/project/src'],
  ['all of an absolute pattern without wildcards', { pattern: '/etc/passwd' }, '/etc/passwd'],
  ['where a pattern climbs to', { pattern: '../other/**', path: 'src' }, '/project/other'],
  ['anywhere, for one that climbs behind a wildcard', { pattern: '*/../../../etc/*' }, '/'],
  ['the home of the person', { pattern: '~/.ssh/*' }, join(homedir(), '.ssh')],
])('a Glob is about %s', (_, input, path) => {
  expect(requestOf('Glob', input, '/project')).toMatchObject({ action: 'read', path, isDeep: true })
})

test.each([
  ['Read', 'file_path'],
  ['Write', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
  ['Grep', 'path'],
])('%s takes ~ for the home of the person, as Claude does', (tool, field) => {
  const home = homedir()
  expect(requestOf(tool, { [field]: '~/.ssh/id' }, '/project')).toMatchObject({ path: join(home, '.ssh/id') })
  expect(requestOf(tool, { [field]: '~' }, '/project')).toMatchObject({ path: home })
  expect(requestOf(tool, { [field]: 'a~/b' }, '/project')).toMatchObject({ path: '/project/a~/b' })
})

test('a command outside of the sandbox that Claude has of its own is asked as that, and covered by no rule for the command', () => {
  const input = { command: 'npm test', description: 'Tests', run_in_background: true }
  expect(requestOf('Bash', input, '/p')).toEqual({ tool: 'run', action: 'run', detail: 'npm test' })
  expect(requestOf('Bash', { ...input, dangerouslyDisableSandbox: true }, '/p')).toEqual({
    ...{ tool: 'run', action: 'run', command: 'npm test' },
    detail: "outside Claude's own sandbox: npm test",
  })
})

test('a call of another tool is asked with all that it was given', () => {
  expect(requestOf('mcp__x', { command: 'ls', force: true }, '/p')).toMatchObject({
    detail: '{"command":"ls","force":true}',
  })
  expect(requestOf('Skill', { skill: 'tidy' }, '/p')).toMatchObject({ detail: 'tidy' })
  expect(requestOf('WebFetch', { url: 'https://a.example', prompt: 'x' }, '/p')).toMatchObject({
    detail: 'https://a.example',
  })
})
