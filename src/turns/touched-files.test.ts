import { expect, it } from 'vitest'
import type { PermissionRequest } from '../agents/driver.ts'
import { TouchedFiles } from './touched-files.ts'

const read = { tool: 'read', action: 'read', detail: '/p/a', path: '/p/a' } as const
const write = { tool: 'write', action: 'write', detail: '/p/b', path: '/p/b' } as const

/** Each of them asked by a call of its own. */
function touchedBy(...requests: readonly PermissionRequest[]): TouchedFiles {
  const touched = new TouchedFiles()
  for (const [i, request] of requests.entries()) {
    touched.called(`call_${i}`)
    touched.asked({ ...request, callID: `call_${i}` })
  }
  return touched
}

it('knows the files when nothing but file tools ran', () => {
  expect(touchedBy(read, write, write).paths).toEqual(['/p/b'])
})

it.each([
  ['a command', { tool: 'run', action: 'run', detail: 'ls' }],
  ['another tool', { tool: 'note', action: 'other', detail: 'x' }],
  ['a write to an unknown place', { tool: 'write', action: 'write', detail: 'somewhere' }],
] as const)('does not know them after %s', (_, request) => {
  expect(touchedBy(write, request, write).paths).toBe(null)
})

it('does not know them when a tool ran that did not say what it does', () => {
  const touched = touchedBy(write)
  touched.called('call_silent')
  expect(touched.paths).toBe(null)
})

it('does not take two questions of one call for those of another', () => {
  const touched = touchedBy(write)
  touched.asked({ ...write, path: '/p/c', callID: 'call_0' })
  expect(touched.paths).toEqual(['/p/b', '/p/c'])
  touched.called('call_silent')
  expect(touched.paths).toBe(null)
})
