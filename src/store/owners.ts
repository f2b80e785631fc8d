import type { SessionID } from '../tree/ids.ts'
import type { Owner, ProcessIdentity } from '../tree/owner.ts'
import type { Queries } from './engine.ts'

export interface OwnerReader {
  /** Who holds a session; null when nobody does. */
  get(sessionID: SessionID): Promise<Owner | null>
  /** All that are held, by anybody. */
  held(): Promise<readonly Owner[]>
}

export interface OwnerTable extends OwnerReader {
  /** Takes a session that nobody holds, or from the owner with `fromEpoch`. Returns the new epoch, null when it has changed hands. */
  take(claim: Claim): Promise<number | null>
  /** Moves the lease on; false when the session has changed hands, and then nothing more may be written for it. */
  hold(sessionID: SessionID, epoch: number, leaseUntil: number): Promise<boolean>
  /** Notes the agent's process, or that there is none. */
  setAgent(sessionID: SessionID, epoch: number, agent: Owner['agent']): Promise<boolean>
  release(sessionID: SessionID, epoch: number): Promise<boolean>
  removeOf(sessionID: SessionID): Promise<void>
}

export interface Claim {
  readonly sessionID: SessionID
  readonly process: ProcessIdentity
  readonly leaseUntil: number
  /** The owner to take it from; null when it is free. */
  readonly fromEpoch: number | null
}

const columns = `session_id AS "sessionID", epoch, pid, started, machine,
  lease_until AS "leaseUntil", agent_pid AS "agentPid", agent_started AS "agentStarted"`

export const ownerTable = (db: Queries): OwnerTable => ({
  async get(sessionID) {
    const row = await db.get<OwnerRow>(
      `SELECT ${columns} FROM owners WHERE session_id = :sessionID AND pid IS NOT NULL`,
      { sessionID },
    )
    return row ? toOwner(row) : null
  },

  async held() {
    const rows = await db.all<OwnerRow>(`SELECT ${columns} FROM owners WHERE pid IS NOT NULL`)
    return rows.map(toOwner)
  },

  // The agent of the one before stays noted until it has been ended. The row itself stays for ever: epochs only rise.
  async take({ sessionID, process, leaseUntil, fromEpoch }) {
    const row = await db.get<{ epoch: number }>(
      `INSERT INTO owners (session_id, epoch, pid, started, machine, lease_until)
       VALUES (:sessionID, 1, :pid, :started, :machine, :leaseUntil)
       ON CONFLICT (session_id) DO UPDATE SET epoch = owners.epoch + 1, pid = :pid,
              started = :started, machine = :machine, lease_until = :leaseUntil
        WHERE owners.pid IS NULL OR owners.epoch = :fromEpoch
       RETURNING epoch`,
      { sessionID, ...process, leaseUntil, fromEpoch },
    )
    return row?.epoch ?? null
  },

  async hold(sessionID, epoch, leaseUntil) {
    const changed = await db.run(
      `UPDATE owners SET lease_until = :leaseUntil
        WHERE session_id = :sessionID AND epoch = :epoch AND pid IS NOT NULL`,
      { sessionID, epoch, leaseUntil },
    )
    return changed > 0
  },

  async setAgent(sessionID, epoch, agent) {
    const changed = await db.run(
      `UPDATE owners SET agent_pid = :pid, agent_started = :started
        WHERE session_id = :sessionID AND epoch = :epoch AND pid IS NOT NULL`,
      { sessionID, epoch, pid: agent?.pid ?? null, started: agent?.started ?? null },
    )
    return changed > 0
  },

  async release(sessionID, epoch) {
    const changed = await db.run(
      `UPDATE owners SET pid = NULL, agent_pid = NULL, agent_started = NULL
        WHERE session_id = :sessionID AND epoch = :epoch AND pid IS NOT NULL`,
      { sessionID, epoch },
    )
    return changed > 0
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM owners WHERE session_id = :sessionID', { sessionID })
  },
})

interface OwnerRow extends ProcessIdentity {
  readonly sessionID: SessionID
  readonly epoch: number
  readonly leaseUntil: number
  readonly agentPid: number | null
  readonly agentStarted: string | null
}

const toOwner = (row: OwnerRow): Owner => ({
  sessionID: row.sessionID,
  epoch: row.epoch,
  process: { pid: row.pid, started: row.started, machine: row.machine },
  leaseUntil: row.leaseUntil,
  agent: row.agentPid === null ? null : { pid: row.agentPid, started: row.agentStarted ?? '' },
})
