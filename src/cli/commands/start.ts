import { chat } from '../chat/chat.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { openDemo } from '../demo.ts'
import { showDemo, showNextSteps } from '../demo-tour.ts'
import { withProgress } from '../progress.ts'

/** `bough` alone: the chat on the demo, or its tree and what to try next where nobody sits at a terminal. */
export async function run(context: Context): Promise<ExitCode> {
  const { out, err, home, interactive, openHere } = context
  if (context.server !== null)
    err.line('bough: the demo is made in the data of this machine, without the server.')
  const bough = await openHere()
  const root = await withProgress(err, 'making the demo', openDemo(bough, home, { fresh: false }))
  await showDemo(context, bough, root)
  if (interactive && out.isTerminal) return chat(context, bough, root)
  await showNextSteps(context, bough, root)
  return 0
}
