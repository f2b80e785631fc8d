import type { Bough } from '../../bough.ts'
import { drawUpdates } from '../../tree/drawn/update-list.ts'
import type { ChannelID } from '../../tree/ids.ts'
import type { Update } from '../../tree/update.ts'
import { findChannel } from '../comeback/find-channel.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, open } = context
  const clear = args.flag('clear')
  const bough = await open()
  const where = await whereFrom(bough, args.optionalWord('session'))
  return clear
    ? forget(context, bough, where)
    : list(context, where === null ? [] : await bough.updates(where))
}

/** The channel that a session names; undefined for all of them, null where there is none. */
async function whereFrom(bough: Bough, typed: string | undefined): Promise<ChannelID | undefined | null> {
  if (typed === undefined) return undefined
  return (await findChannel(bough, await bough.findSession(typed)))?.id ?? null
}

async function forget(
  { args, out }: Context,
  bough: Bough,
  where: ChannelID | undefined | null,
): Promise<ExitCode> {
  const cleared = where === null ? 0 : await bough.clearUpdates(where ? { channelID: where } : {})
  if (args.flag('json')) printJson(out, { cleared })
  else out.line(cleared === 1 ? 'Forgot 1 update.' : `Forgot ${cleared} updates.`)
  return 0
}

function list({ args, out }: Context, updates: readonly Update[]): ExitCode {
  if (args.flag('json')) printJson(out, updates)
  else if (updates.length === 0) out.line('No fork has reported anything that is not told yet.')
  else for (const line of drawUpdates(updates, { now: Date.now(), paint: out.paint })) out.line(line)
  return 0
}
