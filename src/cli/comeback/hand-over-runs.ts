import type { Bough } from '../../bough.ts'
import type { Context } from '../context.ts'
import { spawnDaemon } from './spawn-daemon.ts'

/** For when a command ends: background runs that wait for somebody to run them get a process of their own. */
export async function handOverRuns(context: Context, bough: Bough): Promise<void> {
  if (context.server !== null) return
  const forks = await bough.sideForks({ state: 'open' })
  if (forks.some(({ kind, began }) => kind === 'background' && began === null)) spawnDaemon(context)
}
