import type { MessageID, SessionID, TurnID } from '../tree/ids.ts'
import { storable } from '../tree/text.ts'
import type { Draft, TurnEnd, TurnRecord } from '../tree/turn.ts'
import type { Queries } from './engine.ts'

export interface TurnReader {
  get(id: TurnID): Promise<TurnRecord | null>
  /** The turn that runs in a session; there is at most one. */
  running(sessionID: SessionID): Promise<TurnRecord | null>
  /** The turn that a prompt began. */
  ofPrompt(promptID: MessageID): Promise<TurnRecord | null>
  /** Turns that were never closed, in sessions that nobody holds. */
  left(): Promise<readonly TurnRecord[]>
  /** Turns that run, or ran at some time since a moment, with the directory that they worked in. */
  since(moment: number): Promise<readonly OtherTurn[]>
}

/** A turn, as others in its directory see it. */
export interface OtherTurn extends Pick<TurnRecord, 'id' | 'sessionID' | 'promptID'> {
  readonly directory: string
  readonly isRunning: boolean
}

export interface TurnTable extends TurnReader {
  insert(turn: Pick<TurnRecord, 'id' | 'sessionID' | 'promptID' | 'started'>): Promise<void>
  saveDraft(id: TurnID, draft: Draft | null): Promise<void>
  /** Its draft goes: by now it is a message, or it came to nothing. */
  end(id: TurnID, end: TurnEnd, now: number): Promise<void>
  removeOf(sessionID: SessionID): Promise<void>
}

const columns = `id, session_id AS "sessionID", prompt_id AS "promptID", draft, outcome, reason, started, ended`

// Asked for apart: where what is found has to be in order, SQLite would rather go through all turns there ever were.
const running = 'SELECT id FROM turns WHERE outcome IS NULL'

export const turnTable = (db: Queries): TurnTable => ({
  async get(id) {
    const row = await db.get<TurnRow>(`SELECT ${columns} FROM turns WHERE id = :id`, { id })
    return row ? toTurn(row) : null
  },

  async running(sessionID) {
    const row = await db.get<TurnRow>(
      `SELECT ${columns} FROM turns WHERE session_id = :sessionID AND outcome IS NULL`,
      { sessionID },
    )
    return row ? toTurn(row) : null
  },

  async ofPrompt(promptID) {
    const row = await db.get<TurnRow>(`SELECT ${columns} FROM turns WHERE prompt_id = :promptID`, {
      promptID,
    })
    return row ? toTurn(row) : null
  },

  async left() {
    const rows = await db.all<TurnRow>(
      `SELECT ${columns} FROM turns t WHERE t.id IN (${running})
          AND NOT EXISTS (SELECT 1 FROM owners o WHERE o.session_id = t.session_id AND o.pid IS NOT NULL)
        ORDER BY t.id`,
    )
    return rows.map(toTurn)
  },

  async since(moment) {
    const rows = await db.all<Omit<OtherTurn, 'isRunning'> & Pick<TurnRecord, 'outcome'>>(
      `SELECT t.id, t.session_id AS "sessionID", t.prompt_id AS "promptID", t.outcome, s.directory FROM turns t JOIN sessions s ON s.id = t.session_id
        WHERE t.id IN (${running} UNION ALL SELECT id FROM turns WHERE ended >= :moment)
        ORDER BY t.id`,
      { moment },
    )
    return rows.map(({ outcome, ...turn }) => ({ ...turn, isRunning: outcome === null }))
  },

  async insert(turn) {
    await db.run(
      `INSERT INTO turns (id, session_id, prompt_id, started) VALUES (:id, :sessionID, :promptID, :started)`,
      turn,
    )
  },

  async saveDraft(id, draft) {
    await db.run('UPDATE turns SET draft = :draft WHERE id = :id', {
      id,
      draft: draft && JSON.stringify(draft),
    })
  },

  async end(id, { outcome, reason }, now) {
    await db.run(
      `UPDATE turns SET outcome = :outcome, reason = :reason, ended = :now, draft = NULL
        WHERE id = :id AND outcome IS NULL`,
      { id, outcome, reason: reason === null ? null : storable(reason), now },
    )
  },

  async removeOf(sessionID) {
    await db.run('DELETE FROM turns WHERE session_id = :sessionID', { sessionID })
  },
})

type TurnRow = Omit<TurnRecord, 'draft'> & { readonly draft: string | null }

const toTurn = (row: TurnRow): TurnRecord => ({
  ...row,
  draft: row.draft === null ? null : JSON.parse(row.draft),
})
