import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Bough } from '../bough.ts'
import type { Home } from '../home.ts'
import { isRunning } from '../process-identity.ts'
import { BoughError } from '../tree/error.ts'
import type { MessageID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { demoLabel } from './demo-label.ts'
import { demoFiles, demoScenes, type Scene } from './demo-story.ts'

// A demo becomes whole in one step: its root is labelled `demo` when everything else is there. Until then its sessions
// carry the label `demo-unfinished` and the id of the process that makes them. When that process is gone, the next one
// that wants a demo clears its remains away.
const unfinished = 'demo-unfinished'
const makerLabel = /^made-by-(\d+)$/

/** The session that the demo begins with: of the newest one that is whole, or of a new one. */
export async function openDemo(bough: Bough, home: Home, { fresh }: { fresh: boolean }): Promise<Session> {
  await clearRemains(bough, home)
  return (fresh ? null : await findDemo(bough)) ?? makeDemo(bough, home)
}

/** The first living session of a demo whose project is still there. What the person has deleted of it stays deleted. */
async function findDemo(bough: Bough): Promise<Session | null> {
  const all = await bough.sessions({ label: demoLabel })
  // The newest root first: a fork may be younger than a demo that was made after its own.
  const isRoot = ({ kind }: Session): number => (kind === 'root' ? 1 : 0)
  for (const { id } of all.toSorted((a, b) => isRoot(b) - isRoot(a))) {
    const rows = await bough.tree(id)
    const [root] = rows
    const first = rows.find(({ deleted }) => !deleted)
    if (root && first && existsSync(root.directory)) return bough.session(first.id)
  }
  return null
}

async function makeDemo(bough: Bough, home: Home): Promise<Session> {
  const directory = await makeProject(home)
  const labels = [unfinished, `made-by-${process.pid}`]
  const scenes = new Map<string, { session: Session; turnEnds: readonly MessageID[] }>()
  for (const scene of demoScenes) {
    const session = await beginScene(bough, scene, directory, labels, (name, turn) => {
      const parent = scenes.get(name)
      return { session: parent?.session, messageID: parent?.turnEnds[turn - 1] }
    })
    scenes.set(scene.name, { session, turnEnds: await play(bough, session, scene) })
  }

  // What is not committed would be asked about at the first fork.
  await commit(directory, 'Plan dinners and a picnic')
  const [root, ...forks] = [...scenes.values()].map(({ session }) => session)
  if (!root) throw new Error('the demo has no scenes')
  for (const fork of forks) await bough.change(fork.id, { labels: [demoLabel] })
  return bough.change(root.id, { labels: [demoLabel] })
}

async function beginScene(
  bough: Bough,
  { title, from }: Scene,
  directory: string,
  labels: readonly string[],
  find: (scene: string, turn: number) => { session: Session | undefined; messageID: MessageID | undefined },
): Promise<Session> {
  if (from === null) return bough.create({ title, agent: 'offline', directory, labels })
  const { session, messageID } = find(from.scene, from.afterTurn)
  if (!session || !messageID) throw new Error(`the demo has no turn ${from.afterTurn} of "${from.scene}"`)
  return bough.fork(session.id, { messageID, title, files: 'same' })
}

/** Runs the turns of a scene; the last message of each. */
async function play(bough: Bough, session: Session, { prompts }: Scene): Promise<readonly MessageID[]> {
  const turnEnds: MessageID[] = []
  for (const prompt of prompts) {
    const turn = await bough.send(session.id, prompt)
    const { outcome, reason } = await turn.ended
    if (outcome !== 'finished')
      throw new BoughError(
        'agent_failed',
        `The demo could not be made: ${reason ?? `a turn was ${outcome}`}. Try again.`,
      )
    const last = (await bough.messages(session.id, { limit: 1 })).at(-1)
    if (last) turnEnds.push(last.id)
  }
  return turnEnds
}

async function makeProject(home: Home): Promise<string> {
  const directory = await freeDirectory(join(home.data, 'demo'))
  for (const [path, text] of Object.entries(demoFiles)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
  await commit(directory, 'Begin with the guests and a recipe')
  return directory
}

// Only a repository's forks get worktrees. Where there is no git, the demo is a plain directory.
async function commit(directory: string, subject: string): Promise<void> {
  const { commitAll } = await import('../open-bough.ts')
  await commitAll(directory, subject)
}

// Making it is what claims it: two processes never share one.
async function freeDirectory(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true })
  for (let number = 1; ; number++) {
    const directory = join(parent, number === 1 ? 'dinner' : `dinner-${number}`)
    try {
      await mkdir(directory)
      return directory
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

async function clearRemains(bough: Bough, home: Home): Promise<void> {
  const remains = (await bough.sessions({ label: unfinished })).filter((session) => !makerLives(session))
  // The newest first, as they come: a fork goes before what it stands on, so no tombstone stays.
  for (const session of remains) await bough.remove(session.id)
  for (const directory of new Set(remains.map((session) => session.directory)))
    if (dirname(directory) === join(home.data, 'demo')) await rm(directory, { recursive: true, force: true })
}

function makerLives({ labels }: Session): boolean {
  const pid = labels.map((label) => makerLabel.exec(label)?.[1]).find((found) => found !== undefined)
  return pid !== undefined && isRunning(Number(pid))
}
