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
