import type { ProcessIdentity } from '../tree/owner.ts'
import type { Queries } from './engine.ts'

export interface ProcessReader {
  /** How often a process has shown that it is awake; null when never. Only ever compared. */
  beat(process: ProcessIdentity): Promise<number | null>
  all(): Promise<readonly ProcessIdentity[]>
}

export interface ProcessTable extends ProcessReader {
  /** Shows that it is awake. */
  beatOnce(process: ProcessIdentity): Promise<void>
  remove(process: ProcessIdentity): Promise<void>
}

export const processTable = (db: Queries): ProcessTable => ({
  async beat(process) {
    const row = await db.get<{ beat: number }>(
      'SELECT beat FROM processes WHERE pid = :pid AND started = :started AND machine = :machine',
      { ...process },
    )
    return row?.beat ?? null
  },

  async all() {
    return db.all<ProcessIdentity>('SELECT pid, started, machine FROM processes')
  },

  async beatOnce(process) {
    await db.run(
      `INSERT INTO processes (pid, started, machine, beat) VALUES (:pid, :started, :machine, 1)
       ON CONFLICT (pid, started, machine) DO UPDATE SET beat = processes.beat + 1`,
      { ...process },
    )
  },

  async remove(process) {
    await db.run('DELETE FROM processes WHERE pid = :pid AND started = :started AND machine = :machine', {
      ...process,
    })
  },
})
