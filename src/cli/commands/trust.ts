import { resolve } from 'node:path'
import { unapproved } from '../../tree/directory-trust.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import { askOnce } from '../confirm.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { askForTrust, printParts } from '../trust-words.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, interactive, open } = context
  const [json, yes] = [args.flag('json'), args.flag('yes')]
  const typed = args.optionalWord('directory')
  if (args.flag('list') && (typed !== undefined || args.flag('remove')))
    throw new UsageError('--list shows all trusted directories: leave the rest out.')
  const bough = await open()
  if (args.flag('list')) {
    const trusted = await bough.trusted()
    if (json) printJson(out, trusted)
    else for (const { root } of trusted) out.line(plainLine(root))
    return 0
  }
  const directory = typed === undefined ? context.directory() : resolve(typed)
  if (args.flag('remove')) {
    const trust = await bough.revokeTrust(directory)
    if (json) printJson(out, trust)
    else out.line(`${plainLine(trust.root)} is not trusted any more.`)
    return 0
  }
  const trust = await bough.trust(directory)
  const asks = interactive && !yes && !json && trust.state !== 'trusted'
  const ask = (question: string) => askOnce(context, question)
  if (asks && !(await askForTrust(context, bough, directory, trust, ask))) {
    err.line('bough: nothing was changed.')
    return 1
  }
  const seen = unapproved(trust).map(({ id }) => id)
  const now =
    yes && trust.state !== 'trusted' ? await bough.grantTrust(directory, seen) : await bough.trust(directory)
  if (json) {
    printJson(out, now)
    return 0
  }
  if (now.state === 'trusted') out.line(`${plainLine(now.root)} is trusted.`)
  else
    out.line(
      `${plainLine(now.root)} is ${now.state === 'changed' ? 'trusted, but not all of it' : 'not trusted'}.`,
    )
  if (!asks) printParts(out, now)
  if (now.state !== 'trusted') err.line('bough: there is no terminal to ask in. To trust it: --yes')
  return now.state === 'trusted' ? 0 : 1
}
