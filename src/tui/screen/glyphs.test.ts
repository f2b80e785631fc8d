import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const tui = join(import.meta.dirname, '..')

// Terminals count their cells differently: a line with one would be too long or too short somewhere.
const uneven = /\p{Emoji_Modifier}|\ufe0f|\\u\{?(?:fe0f|1f3f[b-f])/iu

it('no glyph of our own is drawn as another one by a selector or a modifier', () => {
  expect(['⚠\ufe0f', '👍🏽', '\\ufe0f', '\\u{1F3FD}'].filter((text) => !uneven.test(text))).toEqual([])
  const files = globSync('**/*.ts', { cwd: tui }).filter((name) => !/\.test\.ts$|testing\//.test(name))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter((name) => uneven.test(readFileSync(join(tui, name), 'utf8')))).toEqual([])
})
