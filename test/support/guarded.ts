import { expect } from 'vitest'
import type { RawAnswer } from './raw-http.ts'

/** The problem that an answer is, which must be as every problem is. */
export function problemIn(answer: RawAnswer | null): Record<string, unknown> {
  expect(answer?.headers['content-type']).toBe('application/problem+json')
  const problem = JSON.parse(answer?.body ?? '')
  expect(problem).toMatchObject({
    type: 'about:blank',
    title: expect.any(String),
    detail: expect.any(String),
  })
  expect(problem.status).toBe(answer?.status)
  return problem
}

/** What every answer must have, and must not. */
export function expectGuarded(answer: RawAnswer | null): void {
  if (!answer) throw new Error('There was no answer.')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
  expect(answer.headers['referrer-policy']).toBe('no-referrer')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
}
