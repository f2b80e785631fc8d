import type { RequestID, SessionID, TurnID } from '../tree/ids.ts'
import type { OwnerRequest, ProcessIdentity } from '../tree/owner.ts'
import type { Queries } from './engine.ts'

export interface RequestReader {
  /** Oldest first. */
  of(sessionID: SessionID): Promise<readonly OwnerRequest[]>
}

export interface RequestTable extends RequestReader {
  insert(request: OwnerRequest): Promise<void>
  renew(id: RequestID, leaseUntil: number): Promise<void>
  remove(id: RequestID): Promise<void>
  /** What was asked about a turn is settled with it. */
  removeAbout(turnID: TurnID): Promise<void>
  removeOf(sessionID: SessionID): Promise<void>
}

export const requestTable = (db: Queries): RequestTable => ({
  async of(sessionID) {
    const rows = await db.all<RequestRow>(
      `SELECT id, session_id AS "sessionID", kind, turn_id AS "turnID", pid, started, machine, created,
              lease_until AS "leaseUntil"
         FROM requests WHERE session_id = :sessionID ORDER BY created, id`,
      { sessionID },
    )
    return rows.map(({ pid, started, machine, ...row }) => ({ ...row, process: { pid, started, machine } }))
  },

  async insert({ process, ...request }) {
    await db.run(
      `INSERT INTO requests (id, session_id, kind, turn_id, pid, started, machine, created, lease_until)
       VALUES (:id, :sessionID, :kind, :turnID, :pid, :started, :machine, :created, :leaseUntil)`,
      { ...request, ...process },
    )
  },

  async renew(id, leaseUntil) {
    await db.run('UPDATE requests SET lease_until = :leaseUntil WHERE id = :id', { id, leaseUntil })
  },

  async removeAbout(turnID) {
    await db.run('DELETE FROM requests WHERE turn_id = :turnID', { turnID })
  },

  async remove(id) {
    await db.run('DELETE FROM requests WHERE id = :id', { id })
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM requests WHERE session_id = :sessionID', { sessionID })
  },
})

interface RequestRow extends ProcessIdentity {
  readonly id: RequestID
  readonly sessionID: SessionID
  readonly kind: OwnerRequest['kind']
  readonly turnID: TurnID | null
  readonly created: number
  readonly leaseUntil: number
}
