import type { Bough } from '../bough.ts'
import { drawTree } from '../tree/drawn/tree-picture.ts'
import { shortID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import type { Context } from './context.ts'
import { programName } from './program-name.ts'

/** Shows the demo's tree. */
export async function showDemo({ out }: Context, bough: Bough, root: Session): Promise<void> {
  const { columns, paint } = out
  out.line(
    'The demo: a small project and the conversations about it, with the offline agent, which is no model.',
  )
  out.line(paint('dim', root.directory))
  out.line()
  for (const line of drawTree(await bough.tree(root.id), { now: Date.now(), columns, paint })) out.line(line)
  out.line()
}

/** What to type next in a shell. */
export async function showNextSteps({ out, env }: Context, bough: Bough, root: Session): Promise<void> {
  const bin = programName(env)
  const id = shortID(root.id)
  const [fork] = await bough.children(root.id)
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
  for (const [command, about] of steps) out.line(`  ${command.padEnd(widest)}  ${out.paint('dim', about)}`)
}
