import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readConfig } from '../../config.ts'
import { serve } from '../../server/serve.ts'
import { ownToken } from '../../server/token.ts'
import type { Arguments } from '../arguments.ts'
import type { ExitCode } from '../command.ts'
import type { Context } from '../context.ts'
import { failureOf } from '../failure.ts'
import { Interrupt } from '../interrupt.ts'
import { newLink } from '../server/new-link.ts'
import { usualPort } from '../server/server-url.ts'
import { UsageError } from '../usage-error.ts'
import { version } from '../version.ts'

const usual = { host: '127.0.0.1', port: usualPort, grace: 10 }

/** Until a signal comes: that is how it is meant to end, so it is fine. A second signal ends it at once. */
export async function run(context: Context): Promise<ExitCode> {
  const { args, out, err, env, home, directory, openHere } = context
  if (args.flag('link')) {
    out.line(await newLink(home, context.token))
    return 0
  }
  if (args.value('server') !== undefined)
    throw new UsageError(
      '"serve" is the server itself. Leave out --server; --host and --port say where it is.',
    )
  const port = wholeNumber(args, 'port', 65_535) ?? usual.port
  const grace = wholeNumber(args, 'grace', 86_400) ?? usual.grace
  const named = listed(args, 'workspace')
  for (const path of named) await mustBeThere(path)
  const token = await ownToken(context.token, home, args.value('token-file'))
  const config = await readConfig(home)
  const interrupt = Interrupt.listen()
  try {
    const server = await serve(await openHere(), {
      home,
      host: args.value('host') ?? usual.host,
      port,
      token,
      isPublic: args.flag('public'),
      names: listed(args, 'allow-host'),
      workspaces: [directory(), ...named, ...config.server.workspaces].map((path) => resolve(path)),
      turns: config.server.turns,
      grace: grace * 1000,
      version,
      onFault: (error) => err.line(failureOf(error, env).line),
    })
    out.line(`bough serves at ${server.url}`)
    out.line(
      `Its token is ${token.file === null ? 'that of BOUGH_TOKEN' : `in ${token.file}`}. Ctrl-C stops it.`,
    )
    out.line(`To look at it in a browser, once: ${server.newLink()}`)
    if (args.flag('public'))
      out.line('Other machines may reach it, and whoever has its token can run commands here.')
    await interrupt.came
    out.line('bough is stopping: running turns have a while to end; a second Ctrl-C ends them at once.')
    await server.stop()
    return 0
  } finally {
    interrupt.stop()
  }
}

// A slip would only show when somebody comes in and is refused.
async function mustBeThere(path: string): Promise<void> {
  if ((await stat(path).catch(() => null))?.isDirectory()) return
  throw new UsageError(`--workspace: there is no directory ${path}. Make it, or name another.`)
}

const listed = (args: Arguments, name: string): readonly string[] =>
  (args.value(name) ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')

function wholeNumber(args: Arguments, name: string, most: number): number | undefined {
  const given = args.value(name)
  if (given === undefined) return undefined
  if (/^[0-9]{1,6}$/.test(given) && Number(given) <= most) return Number(given)
  throw new UsageError(`--${name} must be a whole number up to ${most}, not "${given}".`)
}
