import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { launcher } from './bundle.ts'
import type { Program } from './server-process.ts'

const token = randomUUID()

/** `bough serve` from the bundle, for a home; sessions begin in its `project`. */
export const boughServe = (home: string): Program => ({
  command: process.execPath,
  args: [launcher, 'serve', '--port', '0'],
  env: { ...process.env, BOUGH_HOME: home, BOUGH_TOKEN: token },
  cwd: join(home, 'project'),
  listens: /serves at (\S+)\n/,
  health: '/health',
  headers: { authorization: `Bearer ${token}` },
})
