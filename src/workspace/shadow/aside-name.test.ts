import { mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asideName, isAsideName, mayBeNeeded } from './aside-name.ts'

/** No system has so many. */
const nobody = 2 ** 30

function written(name: string, hoursAgo = 0): string {
  const path = join(mkdtempSync(join(tmpdir(), 'aside-')), name)
  writeFileSync(path, '')
  const then = new Date(Date.now() - hoursAgo * 60 * 60_000)
  utimesSync(path, then, then)
  return path
}

const ours = asideName('index')
const ofTheDead = ours.replace(`.${process.pid}-`, `.${nobody}-`)
const ofAnother = ofTheDead.replace(/-[0-9a-f]{8}-/, '-01234567-')

test('a file aside is known by its name, and so is the lock that git makes beside it', () => {
  expect([ours, `${ours}.lock`, 'index', 'index.lock'].map(isAsideName)).toEqual([true, true, false, false])
})

test('it may be needed as long as its process runs, a day at most', () => {
  expect([written(ours), written(`${ours}.lock`), written(ours, 25)].map(mayBeNeeded)).toEqual([
    true,
    true,
    false,
  ])
  expect(mayBeNeeded(written(ofTheDead))).toBe(false)
})

test('of a process elsewhere, in a container say, nobody knows: its files get their day', () => {
  expect([written(ofAnother), written(ofAnother, 25)].map(mayBeNeeded)).toEqual([true, false])
})
