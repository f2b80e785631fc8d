import { expect, it } from 'vitest'
import { TouchedFiles } from './touched-files.ts'

const read = { tool: 'read', action: 'read', detail: '/p/a', path: '/p/a' } as const
const write = { tool: 'write', action: 'write', detail: '/p/b', path: '/p/b' } as const

it('knows the files when nothing but file tools ran', () => {
  const touched = new TouchedFiles()
  for (const request of [read, write, write]) {
    touched.called()
    touched.asked(request)
  }
  expect(touched.paths).toEqual(['/p/b'])
})

it.each([
  ['a command', { tool: 'run', action: 'run', detail: 'ls' }],
  ['another tool', { tool: 'note', action: 'other', detail: 'x' }],
  ['a write to an unknown place', { tool: 'write', action: 'write', detail: 'somewhere' }],
] as const)('does not know them after %s', (_, request) => {
  const touched = new TouchedFiles()
  for (const each of [write, request, write]) {
    touched.called()
    touched.asked(each)
  }
  expect(touched.paths).toBe(null)
})

it('does not know them when a tool ran that did not say what it does', () => {
  const touched = new TouchedFiles()
  touched.called()
  touched.asked(write)
  touched.called()
  expect(touched.paths).toBe(null)
})
