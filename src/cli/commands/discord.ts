import { resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { findAccount } from '../../discord/account.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { Interrupt } from '../interrupt.ts'

/** Milliseconds that running turns have when it stops. */
const grace = 10_000

/**
 * Until a signal comes: that is how it is meant to end, so it is fine. A second signal ends it at once. Where Discord lets the bot
 * in no more, it ends with why.
 */
export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, home } = context
  const account = findAccount(context, await readConfig(home))
  if (args.flag('invite')) {
    const { inviteLink } = await import('../../discord/ask-discord.ts')
    out.line(await inviteLink(account))
    return 0
  }
  const interrupt = Interrupt.listen()
  try {
    const [{ Bot }, bough] = await Promise.all([import('../../discord/bot.ts'), context.open()])
    const typed = args.value('session')
    const main = typed === undefined ? null : await bough.findSession(typed)
    const [agent, model] = [args.value('agent'), args.value('model')]
    const bot = await Bot.open(bough, {
      ...account,
      ...(main && { mainID: main.id }),
      beginning: {
        title: 'Discord',
        directory: resolve(args.value('dir') ?? context.directory()),
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
      },
      log: (words) => err.line(`${new Date().toTimeString().slice(0, 8)}  ${plainLine(words)}`),
    })
    out.line('bough answers in your direct messages on Discord. Ctrl-C ends it.')
    const why = await Promise.race([bot.lost, interrupt.came])
    out.line('bough is stopping: running turns have a while to end; a second Ctrl-C ends them at once.')
    await bot.close(grace)
    if (why) throw why
    return 0
  } finally {
    interrupt.stop()
  }
}
