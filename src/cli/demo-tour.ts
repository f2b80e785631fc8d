import type { Bough } from '../bough.ts'
import { shortID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { Context } from './context.ts'
import { programName } from './program-name.ts'
import { drawTree } from './tree-picture.ts'

/** Shows the demo's tree, and what to type next. */
export async function showTour({ out, env }: Context, bough: Bough, root: Session): Promise<void> {
  const rows = await bough.tree(root.id)
  const { columns, paint } = out
  out.line(
    `The demo: a small project and the conversations about it, with the offline agent, which is no model.`,
  )
  out.line(paint('dim', root.directory))
  out.line()
  for (const line of drawTree(rows, { now: Date.now(), columns, paint })) out.line(line)
  out.line()

  const bin = programName(env)
  const id = shortID(root.id)
  const fork = rows.find((row) => row.parentID === root.id)
  const steps: readonly (readonly [string, string])[] = [
    [`${bin} log ${id}`, 'read the first conversation'],
    [`${bin} send ${id} "What do you know?"`, 'go on with it'],
    [`${bin} fork ${id} --prompt "And for six?"`, 'fork it'],
    ...(fork ? [[`${bin} diff ${id} ${shortID(fork.id)}`, 'see where two sessions part'] as const] : []),
    [`${bin} chat ${id}`, 'talk line by line'],
    [`${bin} --help`, 'all commands'],
  ]
  const widest = Math.max(...steps.map(([command]) => command.length))
  out.line('Try next:')
  for (const [command, about] of steps) out.line(`  ${command.padEnd(widest)}  ${paint('dim', about)}`)
}
