import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { MadeUpTree } from './made-up-tree.ts'
import { OpencodeServer } from './opencode-server.ts'
import type { Group, Row } from './row.ts'
import { boughServe } from './server-bundle.ts'
import { type Program, ServerProcess, withServer } from './server-process.ts'
import { interleave, Subject } from './subject.ts'

const sessions = 1000
const starts = 20
/** It may be this slow on any machine; and on a slow one, so many times as slow as Node itself. */
const slowest = { ms: 300, timesNode: 4 }
/** Megabytes. */
const largest = 100
/** How long it is left alone before its memory is looked at. */
const idle = 3_000

export const serverStarting: Group = {
  name: 'server-start',
  title: 'The server, from its start to its first answer, and idle',
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    for (let made = 0; made < sessions; made++) await tree.session(2)
    await tree.close()

    const node = new Subject('node -e 0', () => spawnSync(process.execPath, ['-e', '0']))
    const own = starting('start to the first good answer', boughServe(directory))
    await interleave([node, own], starts)
    const limit = Math.max(slowest.ms, slowest.timesNode * node.result.measured)

    const measured = await idleMemory(boughServe(directory), ['/session?limit=100', '/tree', '/health'])
    return [
      { kind: 'bound', ...own.result, limit },
      { kind: 'fact', ...node.result },
      { kind: 'bound', what: 'idle memory, after a few requests', unit: 'MB', measured, limit: largest },
      ...(await ofOpencode(directory)),
    ]
  },
}

const starting = (what: string, program: Program): Subject =>
  new Subject(what, async (aside) => {
    const server = await ServerProcess.start(program)
    await aside(() => server.stop())
  })

const idleMemory = (program: Program, asked: readonly string[]): Promise<number> =>
  withServer(program, async (server) => {
    for (const path of asked) await server.ask('GET', path)
    await pause(idle)
    return server.memory()
  })

async function ofOpencode(directory: string): Promise<readonly Row[]> {
  const opencode = await OpencodeServer.installed(directory)
  if (!opencode) return []
  const theirs = starting('  opencode: start to the first good answer', opencode.program)
  await interleave([theirs], 3)
  const measured = await idleMemory(opencode.program, ['/session?limit=100'])
  return [
    { kind: 'fact', ...theirs.result },
    { kind: 'fact', what: '  opencode: idle memory', unit: 'MB', measured },
  ]
}
