import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { openDemo } from '../demo.ts'
import { showDemo, showNextSteps } from '../demo-tour.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, home, openHere } = context
  if (context.server !== null)
    err.line('bough: the demo is made in the data of this machine, without the server.')
  const bough = await openHere()
  const root = await withProgress(
    err,
    'making the demo',
    openDemo(bough, home, { fresh: args.flag('fresh') }),
  )
  if (args.flag('json')) {
    printJson(out, await bough.tree(root.id))
    return 0
  }
  await showDemo(context, bough, root)
  await showNextSteps(context, bough, root)
  return 0
}
