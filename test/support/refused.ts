import { join } from 'node:path'
import { expect } from 'vitest'
import { openBough } from '../../src/open-bough.ts'
import type { TreeRow } from '../../src/tree/forest.ts'
import type { World } from './run-bough.ts'

/** The end of an id, as people see it. */
export const short = (id: string): string => id.slice(-6)

/** What it waits for, on a machine that has much to do, is no complaint. */
export const complaintsIn = (stderr: string): string => stderr.replace(/^bough: .* …\n/gm, '')

/** Wrong use or bad input: one clear line, that exit code, nothing on stdout, no session made or changed. */
export async function refused(
  world: World,
  args: readonly string[],
  code: number,
  complaint: string | RegExp,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const before = await treeIn(world)
  const ended = await world.bough(args, { env })
  const told = complaintsIn(ended.stderr)
  expect(told).toMatch(complaint)
  expect(told).toMatch(/^bough: [^\n]+\n$/)
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' })
  expect(await treeIn(world)).toEqual(before)
}

async function treeIn({ home }: World): Promise<readonly TreeRow[]> {
  const bough = await openBough({ data: home, config: join(home, 'config.json') })
  try {
    return await bough.tree()
  } finally {
    await bough.close()
  }
}
