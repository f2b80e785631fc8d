import type { GarbageItem } from '../../tree/garbage.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { bytesWord } from '../bytes.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'

export async function run({ args, out, err, open }: Context): Promise<ExitCode> {
  const dryRun = args.flag('dry-run')
  const bough = await open()
  const garbage = await withProgress(err, 'cleaning up', bough.gc({ dryRun }))
  if (args.flag('json')) {
    printJson(out, garbage)
    return 0
  }
  const { items, freed } = garbage
  const goes = items.filter((item) => item.goes)
  const stays = items.filter((item) => !item.goes)
  for (const item of goes) out.line(`${dryRun ? 'would free' : 'freed'} ${describe(item)}`)
  for (const item of stays) out.line(out.paint('dim', `kept ${describe(item)}`))
  if (goes.length === 0) out.line('There is nothing to clean up.')
  // How much packing anew saves is known only afterwards.
  else
    out.line(
      dryRun
        ? `At least ${bytesWord(freed)} would be freed; nothing was changed.`
        : `${bytesWord(freed)} freed.`,
    )
  return 0
}

const describe = ({ kind, what, bytes, why }: GarbageItem): string =>
  `${kind} ${plainLine(what)}${bytes > 0 ? ` (${bytesWord(bytes)})` : ''}: ${plainLine(why)}`
