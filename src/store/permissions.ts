import type { PermissionID, SessionID, TurnID } from '../tree/ids.ts'
import type { ApprovalScope, Permission } from '../tree/permission.ts'
import { storable } from '../tree/text.ts'
import type { Queries } from './engine.ts'

export interface PermissionReader {
  get(id: PermissionID): Promise<Permission | null>
  /** What nobody has answered yet, oldest first. */
  asked(): Promise<readonly Permission[]>
  /** The approvals that reach beyond their call. */
  grants(sessionID: SessionID): Promise<readonly Permission[]>
}

export interface PermissionTable extends PermissionReader {
  insert(permission: Permission): Promise<void>
  /** The first answer counts: false when there was one already. */
  answer(id: PermissionID, state: 'allowed' | 'denied', scope: ApprovalScope): Promise<boolean>
  /** A turn that is over waits for no answer. Returns those it closed. */
  denyOpenOf(turnID: TurnID): Promise<readonly PermissionID[]>
  removeOf(sessionID: SessionID): Promise<void>
}

const columns = `id, session_id AS "sessionID", turn_id AS "turnID", tool, detail, caution, state,
  scope, offers, asked`

type Row = Omit<Permission, 'offers'> & { readonly offers: string }

const fromRow = (row: Row): Permission => ({ ...row, offers: JSON.parse(row.offers) })

export const permissionTable = (db: Queries): PermissionTable => ({
  async get(id) {
    const row = await db.get<Row>(`SELECT ${columns} FROM permissions WHERE id = :id`, { id })
    return row ? fromRow(row) : null
  },

  async asked() {
    const rows = await db.all<Row>(`SELECT ${columns} FROM permissions WHERE state = 'asked' ORDER BY id`)
    return rows.map(fromRow)
  },

  async grants(sessionID) {
    const rows = await db.all<Row>(
      `SELECT ${columns} FROM permissions
        WHERE session_id = :sessionID AND scope <> 'call' AND state = 'allowed' ORDER BY id`,
      { sessionID },
    )
    return rows.map(fromRow)
  },

  async insert(permission) {
    await db.run(
      `INSERT INTO permissions (id, session_id, turn_id, tool, detail, caution, state, scope, offers, asked)
       VALUES (:id, :sessionID, :turnID, :tool, :detail, :caution, :state, :scope, :offers, :asked)`,
      {
        ...permission,
        tool: storable(permission.tool),
        detail: storable(permission.detail),
        caution: permission.caution && storable(permission.caution),
        offers: JSON.stringify(permission.offers),
      },
    )
  },

  async answer(id, state, scope) {
    const changed = await db.run(
      `UPDATE permissions SET state = :state, scope = :scope WHERE id = :id AND state = 'asked'`,
      { id, state, scope },
    )
    return changed > 0
  },

  async denyOpenOf(turnID) {
    const rows = await db.all<{ id: PermissionID }>(
      `UPDATE permissions SET state = 'denied' WHERE turn_id = :turnID AND state = 'asked' RETURNING id`,
      { turnID },
    )
    return rows.map((row) => row.id)
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM permissions WHERE session_id = :sessionID', { sessionID })
  },
})
