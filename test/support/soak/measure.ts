import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { storeFile } from '../../../src/store/open.ts'
import { diskSize } from '../../../src/workspace/disk-size.ts'
import type { SoakGround } from './ground.ts'
import type { KeptProcess } from './kept-process.ts'
import { figuresOf, type ProcessFigures, relativesOf, zombiesOf } from './proc.ts'

/** How everything stands at one moment. */
export interface Sample {
  /** Seconds since the soak began. */
  readonly at: number
  readonly processes: ReadonlyMap<
    string,
    ProcessFigures & { readonly pid: number; readonly children: number }
  >
  /** All that runs with our home. */
  readonly relatives: number
  /** Those of them that agents started. */
  readonly agents: number
  readonly zombies: number
  readonly messages: number
  readonly worktrees: number
  readonly databaseBytes: number
  readonly logBytes: number
  readonly snapshotBytes: number
  readonly temporaryFiles: number
}

export async function measure(ground: SoakGround, all: readonly KeptProcess[], at: number): Promise<Sample> {
  const relatives = relativesOf(ground.home.data)
  const running = all.flatMap(({ name, pid }) => (pid === null ? [] : [{ name, pid }]))
  const processes = running.flatMap(({ name, pid }) => {
    const figures = figuresOf(pid)
    const children = relatives.filter(({ parent }) => parent === pid).length
    return figures ? [[name, { ...figures, pid, children }] as const] : []
  })
  const file = storeFile(ground.home.data)
  return {
    at,
    processes: new Map(processes),
    relatives: relatives.length,
    agents: relatives.filter(({ isAgents }) => isAgents).length,
    zombies: zombiesOf(running.map(({ pid }) => pid)).length,
    ...inStore(file),
    databaseBytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
    snapshotBytes: await diskSize(join(ground.home.data, 'snapshots')),
    temporaryFiles: readdirSync(ground.temporary).length,
  }
}

function inStore(file: string): Pick<Sample, 'messages' | 'worktrees'> {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const count = (sql: string) => Number(db.prepare(sql).get()?.count)
  try {
    return {
      messages: count('SELECT count(*) AS count FROM messages'),
      worktrees: count(`SELECT count(*) AS count FROM workspaces WHERE state <> 'removed'`),
    }
  } finally {
    db.close()
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
