import { ageOf } from '../../tree/age.ts'
import { shortID } from '../../tree/ids.ts'
import type { ApprovalScope, Permission } from '../../tree/permission.ts'
import { answerWords, permissionLines, scopeNames } from '../../tree/permission-words.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { offerLines } from '../permission-question.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args } = context
  const typed = args.optionalWord('id')
  const wider = (['session', 'always', 'tool'] as const).filter((scope) => args.flag(scopeNames[scope]))
  const deny = args.flag('deny')
  if (wider.length + (deny ? 1 : 0) > 1)
    throw new UsageError('Give only one of --deny, --session, --always and --every.')
  const [scope = 'call'] = wider
  if (typed === undefined) {
    if (deny || scope !== 'call')
      throw new UsageError('Name what to answer: bough approve <id>. "bough approve" lists it.')
    return list(context)
  }
  return answer(context, typed, { allow: !deny, scope })
}

async function list({ args, out, open }: Context): Promise<ExitCode> {
  const permissions = await (await open()).permissions()
  if (args.flag('json')) printJson(out, permissions)
  else if (permissions.length === 0) out.line('Nothing is asked.')
  else for (const permission of permissions) for (const line of linesOf(permission)) out.line(line)
  return 0
}

async function answer(
  { args, out, open }: Context,
  typed: string,
  given: { allow: boolean; scope: ApprovalScope },
): Promise<ExitCode> {
  const bough = await open()
  const permission = await bough.answer((await bough.findPermission(typed)).id, given)
  if (args.flag('json')) printJson(out, permission)
  else out.line(answerWords(permission))
  return 0
}

function linesOf(permission: Permission): readonly string[] {
  const [first = '', ...more] = permissionLines(permission)
  const age = ageOf(permission.asked, Date.now())
  return [
    `${shortID(permission.id)}  session ${shortID(permission.sessionID)}  ${first}${more.length > 0 ? '' : `  ${age}`}`,
    ...(more.length > 0 ? [...more, `  ${age}`] : []),
    ...offerLines(permission),
  ]
}
