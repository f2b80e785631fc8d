import { spawn } from 'node:child_process'
import type { Context } from '../context.ts'

/**
 * Starts a process of its own that sees background runs to their end, and ends when none is open. Where somebody else keeps
 * time, it ends soon. A server sees to its runs itself.
 */
export function spawnDaemon({ env, server }: Pick<Context, 'env' | 'server'>): void {
  if (server !== null) return
  const [program, launcher = ''] = process.argv
  const args = [...process.execArgv, launcher, 'daemon', '--until-idle']
  const child = spawn(program ?? process.execPath, args, {
    env: { ...env, BOUGH_SERVER: undefined },
    detached: true,
    stdio: 'ignore',
  })
  // Without it the run waits for the next chat or daemon, which is no reason to fail here.
  child.on('error', () => {})
  child.unref()
}
