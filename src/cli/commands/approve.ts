import { ageOf } from '../../tree/age.ts'
import { shortID } from '../../tree/ids.ts'
import type { Permission } from '../../tree/permission.ts'
import { permissionWords } from '../../tree/permission-words.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../json.ts'
import { UsageError } from '../usage-error.ts'

export async function run(context: Context): Promise<ExitCode> {
  const { args } = context
  const typed = args.optionalWord('id')
  const [deny, session] = [args.flag('deny'), args.flag('session')]
  if (deny && session) throw new UsageError('Give either --deny or --session.')
  if (typed === undefined) {
    if (deny || session)
      throw new UsageError('Name what to answer: bough approve <id>. "bough approve" lists it.')
    return list(context)
  }
  return answer(context, typed, { allow: !deny, scope: session ? 'session' : 'call' })
}

async function list({ args, out, open }: Context): Promise<ExitCode> {
  const permissions = await (await open()).permissions()
  if (args.flag('json')) printJson(out, permissions)
  else if (permissions.length === 0) out.line('Nothing is asked.')
  else for (const permission of permissions) out.line(show(permission))
  return 0
}

async function answer(
  { args, out, open }: Context,
  typed: string,
  given: { allow: boolean; scope: 'call' | 'session' },
): Promise<ExitCode> {
  const bough = await open()
  const permission = await bough.answer((await bough.findPermission(typed)).id, given)
  if (args.flag('json')) printJson(out, permission)
  else {
    const reach = permission.state === 'allowed' && permission.scope === 'session' ? ' for this session' : ''
    out.line(
      `${permission.state === 'allowed' ? 'Allowed' : 'Denied'}${reach}: ${permissionWords(permission)}`,
    )
  }
  return 0
}

const show = (permission: Permission): string =>
  `${shortID(permission.id)}  session ${shortID(permission.sessionID)}  ${permissionWords(permission)}  ${ageOf(permission.asked, Date.now())}`
