import { plainLine } from '../../tree/plain-text.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { checkAll } from '../health.ts'
import { printJson } from '../json.ts'
import { withProgress } from '../progress.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err } = context
  const checks = await withProgress(err, 'checking', checkAll(context))
  if (args.flag('json')) printJson(out, checks)
  else
    for (const { name, ok, detail, fix, items = [], optional } of checks) {
      const sign = ok ? out.paint('green', '✓') : optional ? out.paint('dim', '–') : out.paint('red', '✗')
      out.line(`${sign} ${name}: ${plainLine(detail)}`)
      for (const item of items) out.line(`    ${plainLine(item)}`)
      if (!ok && fix) out.line(`  ${plainLine(fix)}`)
    }
  return checks.every(({ ok, optional }) => ok || optional) ? 0 : 1
}
