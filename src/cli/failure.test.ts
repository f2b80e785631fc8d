import { expect, test } from 'vitest'
import { GitError } from '../workspace/git.ts'
import { failureOf } from './failure.ts'

const systemError = (code: string) =>
  Object.assign(new Error(`${code}: something, open '/data/x'`), { code, syscall: 'open', path: '/data/x' })

test.each([
  ['EMFILE', /Too many files are open.*ulimit -n/],
  ['ENFILE', /Too many files are open.*ulimit -n/],
  ['ENOMEM', /not enough memory/],
  ['EAGAIN', /not enough memory, or too much runs/],
  ['ENOSPC', /disk is full: \/data\/x.*Free some space/],
  ['EDQUOT', /disk is full/],
  ['EACCES', /may not use \/data\/x \(open\).*chmod/],
  ['EPERM', /may not use \/data\/x/],
  ['EROFS', /file system of \/data\/x is read-only/],
])('%s is told with what to do, and not as unexpected', (code, words) => {
  const { line, exitCode } = failureOf(systemError(code), {})
  expect(line).toMatch(words)
  expect(line).not.toContain('unexpected')
  expect(exitCode).toBe(1)
})

test('a git that fails is told in its own words, and where to look', () => {
  const { line } = failureOf(new GitError(['diff-files'], 'fatal: bad object\n'), {})
  expect(line).toMatch(/^bough: git diff-files: fatal: bad object\. .*"git fsck"/)
})

test('what nobody knows stays unexpected', () => {
  expect(failureOf(new Error('odd'), {}).line).toContain('unexpected')
  expect(failureOf(systemError('EXDEV'), {}).line).toContain('unexpected')
})
