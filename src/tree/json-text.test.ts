import { expect, test } from 'vitest'
import { toJson } from './json-text.ts'

test('no control and no bidirectional character is left bare, and the value is the same', () => {
  const every = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code))
  const value = { [every.join('')]: every }
  for (const indent of [0, 2]) {
    const text = toJson(value, indent)
    expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u)
    expect(JSON.parse(text)).toEqual(value)
  }
})
