import { expect, it } from 'vitest'
import { cautionFor } from './caution.ts'
import type { FileAccess } from './file-access.ts'

const about = (path: string, file: Partial<FileAccess>) => {
  const access: FileAccess = {
    access: 'asked',
    reason: 'outside',
    realPath: path,
    isProtected: false,
    ...file,
  }
  return cautionFor({ tool: 'write', action: 'write', detail: path, path }, access)
}

it('a question about a plain file needs no caution', () => {
  expect(about('/p/a.txt', {})).toBe(null)
  expect(about('/p//x/../a.txt', { realPath: '/p/a.txt' })).toBe(null)
})

it('where a link leads cannot be hidden by characters in its name', () => {
  expect(about('/p/a.txt', { realPath: '/etc/passwd' })).toBe('leads to /etc/passwd')
  expect(about('/p/a.txt', { realPath: '/etc/\u001b[2K\n\u202ex' })).toBe('leads to /etc/␛[2K␊\\u{202e}x')
})

it('the person is told that programs take commands from a file, and that links lead nowhere', () => {
  expect(about('/p/.envrc', { isProtected: true })).toBe('programs take commands from this file')
  expect(about('/p/e', { isProtected: true, realPath: '/p/.envrc' })).toBe(
    'leads to /p/.envrc; programs take commands from this file',
  )
  expect(about('/p/e', { isProtected: true, reason: 'unresolvable' })).toBe(
    'nobody can tell where its links lead',
  )
})
