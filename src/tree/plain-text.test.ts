import { describe, expect, it } from 'vitest'
import { plainLine, plainText, visibleText } from './plain-text.ts'

describe('text of people and agents', () => {
  it('keeps its lines and tabs', () => {
    expect(plainText('one\n\ttwo\n')).toBe('one\n\ttwo\n')
  })

  it.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['cursor movement', 'a\x1b[2Jb\x1b[10;10Hc', 'abc'],
    ['the clipboard (OSC 52)', 'x\x1b]52;c;aGFoYQ==\x07y', 'xy'],
    ['the window title', 'x\x1b]0;root\x1b\\y', 'xy'],
    ['a link (OSC 8)', 'x\x1b]8;;http://a b\x1b\\y\x1b]8;;\x07z', 'xyz'],
    ['a device string', 'x\x1bP1$qm\x1b\\y', 'xy'],
    ['a string that never ends', 'x\x1b]0;all of this stays', 'x0;all of this stays'],
    ['another character set', 'x\x1b(0y\x1bcz', 'xyz'],
    ['the carriage return', 'harmless\rrm -rf', 'harmlessrm -rf'],
    ['backspace and bell', 'ab\b\x07c', 'abc'],
    ['8-bit controls', 'a\u009b31mb\u009d', 'ab'],
    ['text in another order', 'a\u202etxt.exe\u202c', 'atxt.exe'],
  ])('cannot drive the terminal: %s', (_what, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  it('cannot drive the terminal when a sequence comes in two pieces', () => {
    expect(plainText('a\x1b') + plainText(']52;c;eA==\x07b')).toBe('a]52;c;eA==b')
  })

  it('keeps letters of every script and emoji', () => {
    expect(plainText('Grüße 世界 👩‍🍳 नमस्ते')).toBe('Grüße 世界 👩‍🍳 नमस्ते')
  })

  it('stands on one line where there is only one', () => {
    expect(plainLine(' two\nlines\tand  more ')).toBe('two lines and more')
  })
})

describe('what a person is asked to approve', () => {
  it('hides nothing', () => {
    expect(visibleText('ls\nrm -rf ~\x1b[8m\u202e\u200b')).toBe('ls␊rm -rf ~␛[8m\\u{202e}\\u{200b}')
  })
})
