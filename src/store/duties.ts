import type { ProcessIdentity } from '../tree/owner.ts'
import type { Queries } from './engine.ts'

/** Who does something that only one process does at a time. */
export interface Duty {
  readonly name: string
  readonly process: ProcessIdentity
  readonly leaseUntil: number
}

export interface DutyReader {
  get(name: string): Promise<Duty | null>
}

export interface DutyTable extends DutyReader {
  /** Takes it when nobody has it, or from who had it: false when that is another by now. Whoever has it moves its lease on. */
  take(duty: Duty, from: ProcessIdentity | null): Promise<boolean>
  /** Lets go of it, when it is still theirs. */
  leave(name: string, process: ProcessIdentity): Promise<void>
}

export const dutyTable = (db: Queries): DutyTable => ({
  async get(name) {
    const row = await db.get<DutyRow>(
      'SELECT name, pid, started, machine, lease_until AS "leaseUntil" FROM duties WHERE name = :name',
      { name },
    )
    return row ? toDuty(row) : null
  },

  async take({ name, process, leaseUntil }, from) {
    const changed = await db.run(
      `INSERT INTO duties (name, pid, started, machine, lease_until)
       VALUES (:name, :pid, :started, :machine, :leaseUntil)
       ON CONFLICT (name) DO UPDATE SET pid = :pid, started = :started, machine = :machine, lease_until = :leaseUntil
        WHERE duties.pid = :fromPid AND duties.started = :fromStarted AND duties.machine = :fromMachine`,
      {
        name,
        ...process,
        leaseUntil,
        fromPid: from?.pid ?? null,
        fromStarted: from?.started ?? null,
        fromMachine: from?.machine ?? null,
      },
    )
    return changed > 0
  },

  async leave(name, process) {
    await db.run(
      'DELETE FROM duties WHERE name = :name AND pid = :pid AND started = :started AND machine = :machine',
      { name, ...process },
    )
  },
})

type DutyRow = Omit<Duty, 'process'> & ProcessIdentity

const toDuty = ({ pid, started, machine, ...row }: DutyRow): Duty => ({
  ...row,
  process: { pid, started, machine },
})
