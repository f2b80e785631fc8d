import type { Bough } from '../../bough.ts'
import { handOverRuns } from '../comeback/hand-over-runs.ts'
import { untilSeen } from '../comeback/until-seen.ts'
import { Interrupt } from '../interrupt.ts'
import type { Chat } from './chat.ts'

/** For when it ends: background runs that run in it would be cut off. What they send meanwhile is still shown. */
export async function waitForRuns(
  { context, bough }: Pick<Chat, 'context' | 'bough'>,
  print: (line: string) => void,
  where = 'in this chat',
): Promise<void> {
  if (context.server !== null) return
  const running = await runningHere(bough)
  if (running > 0) {
    const runs = running === 1 ? '1 background run is' : `${running} background runs are`
    print(context.out.paint('dim', `${runs} still going ${where}. It ends after that; Ctrl-C ends it now.`))
    const interrupt = Interrupt.listen()
    try {
      await untilSeen(bough, interrupt.signal, async () => ((await runningHere(bough)) === 0 ? true : null))
    } finally {
      interrupt.stop()
    }
  }
  await handOverRuns(context, bough)
}

async function runningHere(bough: Bough): Promise<number> {
  const forks = await bough.sideForks({ state: 'open' })
  const isHere = (pid: number | undefined): boolean => pid === process.pid
  return forks.filter(
    ({ kind, began, process: runner }) => kind === 'background' && began !== null && isHere(runner?.pid),
  ).length
}
