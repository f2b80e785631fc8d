import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BoughError } from '../../tree/error.ts'
import { findOnPath } from '../installed.ts'
import { bubblewrapArgs } from './bubblewrap.ts'
import type { Confinement } from './rule.ts'
import { seatbeltProfile } from './seatbelt.ts'

/** The program of this machine that makes sandboxes. */
export interface Engine {
  readonly name: 'bubblewrap' | 'Seatbelt'
  readonly command: string
  /** A directory for temporary files in the sandbox. */
  readonly temporary: string
  /** What goes before the program that is to run in it. */
  args(confinement: Confinement): readonly string[]
  close(): Promise<void>
}

interface Wish {
  readonly env: NodeJS.ProcessEnv
  readonly network: Confinement['network']
  /** Whether there must be one. What nobody has tried yet is not begun by itself. */
  readonly isRequired: boolean
}

/** Rejects with the code `sandbox_unavailable` where there is none. */
export async function findEngine(wish: Wish): Promise<Engine> {
  if (process.platform === 'linux') return findBubblewrap(wish.env)
  if (process.platform === 'darwin') return findSeatbelt(wish)
  throw new BoughError('sandbox_unavailable', `bough has no sandbox for ${process.platform}.`)
}

async function findBubblewrap(env: NodeJS.ProcessEnv): Promise<Engine> {
  const command = await findOnPath('bwrap', env)
  if (command === null)
    throw new BoughError(
      'sandbox_unavailable',
      'bubblewrap is not installed. Install it with your package manager: the package is called bubblewrap.',
    )
  const asRoot = process.getuid?.() === 0
  return {
    name: 'bubblewrap',
    command,
    // A directory that Codex does not take for a parent of its own.
    temporary: '/tmp/bough-sandbox',
    args: (confinement) => bubblewrapArgs(confinement, { asRoot }),
    close: async () => {},
  }
}

async function findSeatbelt({ network, isRequired }: Wish): Promise<Engine> {
  const command = '/usr/bin/sandbox-exec'
  const unfit = !existsSync(command)
    ? `There is no ${command}.`
    : network === 'own'
      ? 'On macOS bough cannot limit the network of a sandbox. Set it: bough config sandbox.network on'
      : isRequired
        ? null
        : 'On macOS the sandbox has not been tried enough to be used by itself. To have it: --sandbox on'
  if (unfit !== null) throw new BoughError('sandbox_unavailable', unfit)
  const temporary = await realpath(await mkdtemp(join(tmpdir(), 'bough-sandbox-')))
  return {
    name: 'Seatbelt',
    command,
    temporary,
    args: (confinement) => ['-p', seatbeltProfile(confinement)],
    close: () => rm(temporary, { recursive: true, force: true }),
  }
}
