import { spawnSync } from 'node:child_process'
import { launcher } from './bundle.ts'
import { MadeUpTree } from './made-up-tree.ts'
import type { Group } from './row.ts'
import { interleave, Subject } from './subject.ts'

const sessions = 1000

export const startingUp: Group = {
  name: 'start-up',
  title: 'Whole commands',
  async measure(directory) {
    const tree = await MadeUpTree.open(directory)
    for (let made = 0; made < sessions; made++) await tree.session(2)
    await tree.close()

    const command = (what: string, ...args: readonly string[]) =>
      new Subject(what, () => runNode(directory, args))
    const node = command('node -e 0', '-e', '0')
    const version = command('bough --version', launcher, '--version')
    const list = command('bough ls, 1,000 sessions', launcher, 'ls')
    await interleave([node, version, list], 100)

    return [
      { kind: 'ratio', ...version.result, baseline: node.result, limit: 1.3 },
      { kind: 'ratio', ...list.result, baseline: node.result, limit: 2.5 },
    ]
  },
}

function runNode(directory: string, args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, BOUGH_HOME: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}.`)
}
