import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Pty } from '../scripts/pty.ts'
import { launcher } from './bundle.ts'
import { allSessions, makeFamilies } from './lists.ts'
import { MadeUpTree } from './made-up-tree.ts'
import type { Group, Row } from './row.ts'
import { interleave, Subject } from './subject.ts'
import { walking } from './tui-tree.ts'
import { typing } from './tui-typing.ts'

const size = { columns: 120, rows: 40 }
const messages = 2_000
const starts = 20
/** Stands in the status line as soon as there is one. */
const isThere = 'Esc looks back'

export const showing: Group = {
  name: 'tui',
  title: `The terminal UI, ${size.columns} × ${size.rows}`,
  async measure(directory) {
    const programs = join(directory, 'programs')
    execFileSync(process.execPath, [join(import.meta.dirname, 'tui-build.ts'), programs])
    const empty = await makeGround(join(directory, 'empty'), 0)
    const full = await makeGround(join(directory, 'full'), messages)
    const wide = await makeGround(join(directory, 'wide'), 0, makeFamilies)
    const stream = join(programs, 'stream', 'stream.js')
    return [
      ...(await starting(join(programs, 'bare', 'bare.js'), empty, full)),
      ...(await typing((perSecond, seconds) =>
        start(full, [stream, full.home, full.id, String(perSecond), String(seconds)], [isThere, 'lazy dog']),
      )),
      ...(await walking(() => start(wide, [launcher], [isThere]), 1 + allSessions)),
    ]
  },
}

/** A home with a session, the only one or the first of them, whose project `bough` opens in. */
interface Ground {
  readonly home: string
  readonly project: string
  readonly id: string
}

async function makeGround(
  directory: string,
  messages: number,
  more: (tree: MadeUpTree) => Promise<void> = async () => {},
): Promise<Ground> {
  const home = join(directory, 'home')
  const project = join(directory, 'project')
  await mkdir(home, { recursive: true })
  await mkdir(project)
  const tree = await MadeUpTree.open(home, project)
  const { id } = await tree.session(messages)
  await more(tree)
  await tree.close()
  return { home, project, id }
}

async function starting(bare: string, empty: Ground, full: Ground): Promise<readonly Row[]> {
  const first = (what: string, ground: Ground, program: string, shows: readonly string[]) =>
    new Subject(what, async (aside) => {
      const started = Promise.withResolvers<Pty>()
      // The terminal is there before the command.
      await aside(async () => started.resolve(await openPty(ground, [program])))
      const pty = await started.promise
      await pty.writes(shows)
      await aside(() => pty.stop())
    })
  const curtain = first('first sign of life', empty, launcher, ['opening the store'])
  const library = first('a bare program', empty, bare, ['A bare program.'])
  const nothing = first('first frame, an empty session', empty, launcher, [isThere])
  const long = first(`  ${messages.toLocaleString('en')} messages`, full, launcher, [isThere, 'lazy dog'])
  await interleave([library, curtain, nothing, long], starts)
  const later = long.result.measured - nothing.result.measured
  return [
    { kind: 'ratio', ...nothing.result, baseline: library.result, limit: 1.3 },
    { kind: 'fact', ...curtain.result, baseline: library.result },
    { kind: 'fact', ...long.result, baseline: library.result },
    { kind: 'bound', what: '    later than the empty one', unit: 'ms', measured: later, limit: 200 },
  ]
}

async function start(ground: Ground, args: readonly string[], shows: readonly string[]): Promise<Pty> {
  const pty = await openPty(ground, args)
  await pty.writes(shows)
  return pty
}

function openPty({ home, project }: Ground, args: readonly string[]): Promise<Pty> {
  const env = { ...process.env, BOUGH_HOME: home }
  return Pty.start({ command: [process.execPath, ...args], cwd: project, env, ...size })
}
