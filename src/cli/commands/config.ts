import { optionOf, readConfig, unsetConfig, withoutSecrets, writeConfig } from '../../config.ts'
import { configOptions } from '../../config-options.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, home } = context
  const [key, value, unset] = [args.optionalWord('key'), args.optionalWord('value'), args.flag('unset')]
  if (unset && (key === undefined || value !== undefined))
    throw new UsageError('Name the one option to put back: bough config <key> --unset.')
  if (key !== undefined && (unset || value !== undefined)) {
    if (value === undefined) await unsetConfig(home, key)
    else await writeConfig(home, key, value)
    return 0
  }
  if (key === undefined) return printAll(context)
  const current = optionOf(withoutSecrets(await readConfig(home)), key)
  if (args.flag('json')) printJson(out, current)
  else out.line(show(current))
  return 0
}

async function printAll({ args, out, home }: Context): Promise<ExitCode> {
  const config = withoutSecrets(await readConfig(home))
  if (args.flag('json')) {
    printJson(out, config)
    return 0
  }
  const widest = Math.max(...configOptions.map(({ key }) => key.length))
  for (const { key, about } of configOptions)
    out.line(`${key.padEnd(widest)}  ${show(optionOf(config, key)) || '(none)'}  ${out.paint('dim', about)}`)
  out.line(out.paint('dim', `Kept in ${home.config}`))
  return 0
}

const show = (value: ReturnType<typeof optionOf>): string =>
  plainLine(typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value))
