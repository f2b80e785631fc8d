import { describe, expect, it } from 'vitest'
import { createIds, isMeantBy, isMessageID, isSessionID, parseShortID, shortID } from './ids.ts'

const fixed = (length: number) => new Uint8Array(length).fill(255)

describe('ids', () => {
  it('are time-ordered and prefixed, so a list sorted by id is sorted by time', () => {
    let now = 1_700_000_000_000
    const ids = createIds(() => now, fixed)
    const made = Array.from({ length: 50 }, (_, i) => {
      now += i % 3
      return ids.session()
    })
    expect(made.toSorted()).toEqual(made)
    expect(new Set(made).size).toBe(made.length)
    expect(made.every(isSessionID)).toBe(true)
  })

  it('rise within one millisecond and when the clock goes back', () => {
    let now = 1_700_000_000_000
    const ids = createIds(
      () => now,
      (length) => new Uint8Array(length).fill(7),
    )
    const before = ids.message()
    now -= 60_000
    const after = ids.message()
    expect(after > before).toBe(true)
    expect(isMessageID(after)).toBe(true)
  })

  it('shorten to their end, and a shortened id is read with or without its prefix', () => {
    const id = createIds(Date.now, fixed).session()
    expect(id.endsWith(shortID(id))).toBe(true)
    expect(parseShortID('ses', ` ${shortID(id).toUpperCase()} `)).toBe(shortID(id))
    expect(parseShortID('ses', id)).toBe(id.slice(4))
  })

  it('are meant by four characters of their end or three of their beginning, never by fewer', () => {
    const id = createIds(Date.now, fixed).session()
    const bare = id.slice(4)
    for (const typed of [bare, bare.slice(-4), bare.slice(0, 3)]) {
      expect(isMeantBy(parseShortID('ses', typed), id)).toBe(true)
    }
    expect(isMeantBy(bare.slice(-3), id)).toBe(false)
    for (const typed of ['x', 'ses_x', bare.slice(-2), bare.slice(0, 2)]) {
      expect(() => parseShortID('ses', typed)).toThrow('is too short: type at least 4 characters')
      expect(isMeantBy(typed, id)).toBe(false)
    }
  })

  it.each(['', 'ses_', '%', '_', "x' OR 1=1", '../x', 'ses_01k%', 'a'.repeat(27)])(
    'refuse %j as an id',
    (typed) => {
      expect(() => parseShortID('ses', typed)).toThrow('is not an id')
    },
  )
})
