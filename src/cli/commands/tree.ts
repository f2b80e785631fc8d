import { drawTree } from '../../tree/drawn/tree-picture.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const typed = args.optionalWord('session')
  const bough = await open()
  const session = typed === undefined ? undefined : await bough.findSession(typed)
  const rows = await withProgress(err, 'loading the tree', bough.tree(session?.id))

  if (args.flag('json')) printJson(out, rows)
  else if (rows.length === 0)
    out.line('No sessions yet. "bough new" begins one, "bough demo" makes a sample tree.')
  else {
    const { columns, paint } = out
    const currentID = session && { currentID: session.id }
    for (const line of drawTree(rows, { now: Date.now(), columns, paint, ...currentID })) out.line(line)
  }
  return 0
}
