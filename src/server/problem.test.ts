import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { storeError } from '../store/sqlite/errors.ts'
import { BoughError, errorCodes } from '../tree/error.ts'
import { problem as schema } from '../wire/schema/problem.ts'
import { problemOf, RequestError } from './problem.ts'

const hide = async (words: string) => words.replaceAll(/\/secret\/\S*/g, 'hidden')

it('every code has a status and a title, and each problem is as it is described', async () => {
  for (const code of errorCodes) {
    const problem = await problemOf(new BoughError(code, 'It went wrong.'), hide)
    expect(problem).toMatchObject({ type: 'about:blank', code, detail: 'It went wrong.' })
    expect(problem.status).toBeGreaterThanOrEqual(400)
    expect(problem.title).not.toBe('Error')
    expect(() => schema.parse(problem)).not.toThrow()
  }
})

it('what nobody expected is told without its words', async () => {
  for (const error of [
    new Error('/secret/x is broken'),
    new TypeError('x'),
    'words',
    null,
    undefined,
    { stack: 1 },
  ]) {
    const problem = await problemOf(error, hide)
    expect(problem).toMatchObject({ status: 500, code: 'server_failed' })
    expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'code', 'detail'])
    expect(JSON.stringify(problem)).not.toMatch(/secret|broken/)
  }
})

it('the store in trouble is told without where it is: locked, full, failing, not to be written, damaged', async () => {
  for (const errcode of [5, 6, 13, 10, 8, 14, 11, 26]) {
    const error = storeError(
      Object.assign(new Error('near "x": SELECT'), { errcode }),
      '/secret/place/bough.db',
    )
    const problem = await problemOf(error, hide)
    expect(problem.status).toBeGreaterThanOrEqual(500)
    expect(JSON.stringify(problem)).not.toMatch(/secret|SELECT|cause/)
  }
})

it('a request that does not fit is told field by field', async () => {
  const issue: z.core.$ZodIssue = { code: 'custom', path: ['a', 0], message: 'Wrong', input: 7 }
  const problem = await problemOf(new RequestError('body', [issue]), hide)
  expect(problem).toMatchObject({
    status: 400,
    code: 'bad_input',
    errors: [{ path: 'body.a.0', message: 'Wrong' }],
  })
})
