import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findHome, type Home } from '../../../src/home.ts'
import { commitAll, person, put } from '../../../src/workspace/testing/ground.ts'

/** What all processes of a soak share: one home, and one project in git. */
export interface SoakGround {
  readonly home: Home
  readonly project: string
  /** Where programs put what they need for a moment. */
  readonly temporary: string
  /** What is started as `bough`. */
  readonly launcher: string
  readonly env: NodeJS.ProcessEnv
  remove(): Promise<void>
}

/** A command that is allowed, and one that somebody has to approve. */
export const commands = { free: 'sleep 1; echo rested', asked: 'date' } as const

/** Everything goes sooner than a person would want it, so that a soak meets it often. */
const config = {
  agent: 'offline',
  permissions: { allow: [`run(${commands.free})`, 'run(sleep*)'], timeout: 6 },
  forks: { idle: 1, limit: 4 },
}

export function makeGround(launcher: string, more: NodeJS.ProcessEnv): SoakGround {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'soak-')))
  const [data, project, temporary] = [join(root, 'home'), join(root, 'project'), join(root, 'tmp')]
  for (const directory of [data, project, temporary]) mkdirSync(directory)
  writeFileSync(join(data, 'config.json'), JSON.stringify(config))
  put(project, { 'notes.txt': 'begin\n', 'src/soup.txt': 'tomato\n', '.gitignore': 'left-out\n' })
  person(project, 'init', '-q', '-b', 'main')
  commitAll(project)
  const env = { ...process.env, HOME: root, TMPDIR: temporary, ...more, BOUGH_HOME: data }
  return {
    home: findHome(env),
    project,
    temporary,
    launcher,
    env,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
