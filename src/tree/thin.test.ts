import { expect, it } from 'vitest'
import { createIds, type SnapshotID } from './ids.ts'
import type { Snapshot } from './snapshot.ts'
import { thin } from './thin.ts'

const hour = 60 * 60_000
const day = 24 * hour
const now = 400 * day
const ids = createIds(Date.now, (length) => new Uint8Array(length))

const snapshot = (created: number, root = '/project'): Snapshot => ({
  ...{ id: ids.snapshot(), projectID: 'project', root, tree: '', head: null, branch: null },
  ...{ missing: [], beside: [], saved: false, freed: false, created },
})

const none = new Set<SnapshotID>()

it('keeps all snapshots of the last week', () => {
  const week = Array.from({ length: 7 * 24 - 1 }, (_, i) => snapshot(now - i * hour))
  expect(thin(week, none, now)).toEqual([])
})

it('keeps the newest of each day up to a month, of each week up to half a year, and then of each month', () => {
  const all = Array.from({ length: 390 * 4 }, (_, i) => snapshot(now - i * 6 * hour))
  const goes = new Set(thin(all, none, now))
  const kept = all.filter((each) => !goes.has(each))
  const between = (from: number, to: number) =>
    kept.filter(({ created }) => now - created >= from * day && now - created < to * day)
  expect(between(0, 7)).toHaveLength(28)
  expect(between(7, 30).length).toBeLessThanOrEqual(24)
  expect(between(7, 30).length).toBeGreaterThanOrEqual(23)
  expect(between(30, 180).length).toBeLessThanOrEqual(23)
  expect(between(30, 180).length).toBeGreaterThanOrEqual(21)
  expect(between(180, 390).length).toBeLessThanOrEqual(9)
  expect(between(180, 390).length).toBeGreaterThanOrEqual(7)
})

it('never lets go of one that a fork stands on', () => {
  const old = Array.from({ length: 10 }, (_, i) => snapshot(now - 300 * day + i))
  const stays = new Set(old.slice(0, 3).map(({ id }) => id))
  expect(thin(old, stays, now).some(({ id }) => stays.has(id))).toBe(false)
  expect(thin(old, stays, now)).toHaveLength(6)
})

it('thins the files of each place by themselves', () => {
  const old = ['/one', '/two'].flatMap((root) =>
    [0, 1].map((i) => snapshot(now - 20 * day + 5 * hour - i, root)),
  )
  expect(thin(old, none, now).map(({ root }) => root)).toEqual(['/one', '/two'])
})
