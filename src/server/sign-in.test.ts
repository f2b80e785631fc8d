import { expect, it } from 'vitest'
import { SignIn } from './sign-in.ts'

const unauthorized = expect.objectContaining({ code: 'unauthorized' })

it('a code is good once', () => {
  const signIn = new SignIn('the token')
  const code = signIn.newCode()
  expect(signIn.exchange(code)).toBe('the token')
  expect(() => signIn.exchange(code)).toThrow(unauthorized)
})

it('a code is good for ten minutes', () => {
  let now = 0
  const signIn = new SignIn('the token', () => now)
  const [inTime, late, swept] = [signIn.newCode(), signIn.newCode(), signIn.newCode()]
  now = 10 * 60_000 - 1
  expect(signIn.exchange(inTime)).toBe('the token')
  now = 10 * 60_000
  expect(() => signIn.exchange(late)).toThrow(unauthorized)
  const next = signIn.newCode()
  expect(() => signIn.exchange(swept)).toThrow(unauthorized)
  expect(signIn.exchange(next)).toBe('the token')
})

it('codes are long and unlike each other', () => {
  const signIn = new SignIn('the token')
  const codes = Array.from({ length: 1000 }, () => signIn.newCode())
  expect(new Set(codes).size).toBe(1000)
  for (const code of codes) expect(Buffer.from(code, 'base64url').length).toBe(24)
})

it('what was never given out is worth nothing', () => {
  const signIn = new SignIn('the token')
  for (const code of ['', 'x', '__proto__', 'constructor', 'the token'])
    expect(() => signIn.exchange(code)).toThrow(unauthorized)
})
