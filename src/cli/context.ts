import { isatty } from 'node:tty'
import { isInsideAgent } from '../agent-ancestry.ts'
import type { Bough } from '../bough.ts'
import { findHome, type Home } from '../home.ts'
import { BoughError } from '../tree/error.ts'
import type { Arguments } from './arguments.ts'
import type { Command } from './command.ts'
import type { Output } from './output.ts'
import { withProgress } from './progress.ts'
import { serverURL } from './server/server-url.ts'

/** What a command is given: its arguments, where to read and write, and bough itself once it asks for it. */
export interface Context {
  readonly args: Arguments
  /** All there are, for those that tell of the others. */
  readonly commands: readonly Command[]
  readonly stdin: NodeJS.ReadStream
  readonly out: Output
  readonly err: Output
  /** Without the tokens: whatever is started here gets it. */
  readonly env: NodeJS.ProcessEnv
  readonly home: Home
  /** Somebody sits there who can be asked. */
  readonly interactive: boolean
  /** What BOUGH_TOKEN was set to. */
  readonly token: string | undefined
  /** What DISCORD_TOKEN was set to. */
  readonly discordToken: string | undefined
  /** The address of the server that the command goes to, because the person named it or it was found; null without one. */
  readonly server: string | null
  directory(): string
  /** The bough of the server that the person names, else the one of this machine. */
  open(): Promise<Bough>
  /** The one that holds the store itself, also where a server is named: the command stays on this machine. */
  openHere(): Promise<Bough>
  /** That of the server that runs on this machine for the same data: the command goes there from now on. Null where none does. */
  openFound(): Promise<Bough | null>
}

/** `close` ends what `open` began; a command that never opens bough costs nothing. */
export function createContext(
  args: Arguments,
  commands: readonly Command[],
  out: Output,
  err: Output,
): { context: Context; close(): Promise<void> } {
  const { env } = process
  const home = findHome(env)
  const { BOUGH_TOKEN: token, DISCORD_TOKEN: discordToken, BOUGH_SERVER: usualServer } = env
  // Agents get the environment of who runs them: what opens a server, or speaks as a bot, is not for them.
  delete env.BOUGH_TOKEN
  delete env.DISCORD_TOKEN
  const opened: Promise<Bough>[] = []
  let found: string | null = null
  let staysHere = false
  const keep = (label: string, opening: Promise<Bough>): Promise<Bough> => {
    opened.push(opening)
    return withProgress(err, label, opening)
  }

  const openOnce = async (): Promise<Bough> => {
    const { openBough } = await import('../open-bough.ts')
    return openBough(home)
  }
  const openNamed = async (url: string): Promise<Bough> => {
    const { openServer } = await import('./server/open-server.ts')
    return openServer(url, { given: token, file: args.value('token-file'), home })
  }
  const openFound = async (): Promise<Bough | null> => {
    const { findLocalServer } = await import('./server/local-server.ts')
    const server = await findLocalServer(home, token)
    if (!server) return null
    const { connect } = await import('../client/connect.ts')
    // It may have gone this very moment: then it is as if there were none.
    const bough = await keep('asking the server', connect(server)).catch(() => null)
    if (bough) found = server.url
    return bough
  }
  // Read when it is first asked for: a command that goes nowhere is not refused for a wrong address.
  const named = lazily(() => namedServer(args.value('server'), usualServer))
  const isPersonThere = lazily(() => isatty(0) && err.isTerminal && !isInsideAgent(env))
  const here = lazily(() => keep('opening the store', openOnce()))
  const open = lazily(() => {
    const url = named()
    return url === null ? here() : keep('asking the server', openNamed(url))
  })
  const context: Context = {
    args,
    commands,
    get stdin() {
      return process.stdin
    },
    out,
    err,
    env,
    home,
    get interactive() {
      return isPersonThere()
    },
    token,
    discordToken,
    get server() {
      return staysHere ? null : (found ?? named())
    },
    directory: currentDirectory,
    open,
    openHere: () => {
      staysHere = true
      return here()
    },
    openFound,
  }
  const close = async (): Promise<void> => {
    for (const opening of opened.toReversed()) {
      // One that could not be opened has nothing to close: its error was already told.
      const bough = await opening.catch(() => undefined)
      if (bough) await withProgress(err, 'closing', bough.close())
    }
  }
  return { context, close }
}

function namedServer(given: string | undefined, usual: string | undefined): string | null {
  if (given !== undefined) return serverURL(given, '--server')
  return usual ? serverURL(usual, 'BOUGH_SERVER') : null
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new BoughError(
      'directory_gone',
      'This directory is gone. Change to one that exists, or name one with --dir.',
      {
        cause,
      },
    )
  }
}
