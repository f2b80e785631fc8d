import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

const launcher = inject('launcher')

function run(home: string, ...args: readonly string[]): void {
  // Somebody's own place for it would count, and tests have one.
  const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...inherited } = process.env
  const env = { ...inherited, BOUGH_HOME: home }
  expect(spawnSync(process.execPath, [launcher, ...args], { env })).toMatchObject({ status: 0 })
}

test('what was compiled is kept beside the data, for the next start', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  run(home)
  const kept = join(home, 'compiled')
  expect(readdirSync(kept, { recursive: true }).length).toBeGreaterThan(10)
  run(home)
})

test('a single command keeps nothing', () => {
  const home = mkdtempSync(join(tmpdir(), 'home-'))
  run(home, 'ls')
  expect(existsSync(join(home, 'compiled'))).toBe(false)
})
