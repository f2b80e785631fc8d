import { describe, expect, it } from 'vitest'
import { Typing } from './typing.ts'

describe('a line that is typed into the tree', () => {
  it('begins with nothing but text, whatever a title has', () => {
    const typing = new Typing('change', 'Title', 'so\u001b]52;c;eHg=\u0007up\u009b31m\u202e\nhot', {
      done: () => {},
    })
    expect(typing.text).toBe('soup hot')
    expect(typing.draw(40)).not.toMatch(/\]52|\u009b|\u202e/)
  })
})
