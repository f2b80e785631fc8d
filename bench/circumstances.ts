import { execFileSync } from 'node:child_process'
import { arch, availableParallelism, cpus, loadavg, release, type } from 'node:os'
import manifest from '../package.json' with { type: 'json' }
import { peers } from './peers/all.ts'
import type { Circumstances } from './results.ts'

/** Of this run. The load is asked for when it begins, since a run is a load by itself. */
export function circumstancesNow(loadBefore: string): Circumstances {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '..', ':!RESULTS.md') !== ''
  const commit = `${git('rev-parse', '--short', 'HEAD')}${changed ? ', with changes' : ''}`
  return [
    ['date', new Date().toISOString().slice(0, 16).replace('T', ' ')],
    ['bough', `${manifest.version}, commit ${commit}`],
    ['Node', process.version],
    ['git', git('--version').replace('git version ', '')],
    ['system', `${type()} ${release()}, ${arch()}`],
    ['processors', `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? '?'}`],
    ['load', `${loadBefore} before, ${loadNow()} after`],
    ...peers
      .filter((peer) => peer.name !== 'bough')
      .map((peer) => [peer.name, peer.installed() ? peer.version : 'not installed'] as const),
  ]
}

export const loadNow = (): string => loadavg()[0]?.toFixed(1) ?? '?'
