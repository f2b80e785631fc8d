import type { Change, TreeEvent } from '../tree/event.ts'
import type { Queries } from './engine.ts'

/** How long events are kept; a reader that comes later is told to load afresh. */
const keptFor = 7 * 24 * 60 * 60 * 1000
/** Old events are looked for once in so many. */
const pruneEvery = 1000

export interface EventReader {
  /** The next events after number `seq`, oldest first. */
  after(seq: number, limit: number): Promise<readonly TreeEvent[]>
  /** The numbers of the first and the last event that are kept; `first` is 1 more than `last` when there is none. */
  bounds(): Promise<{ readonly first: number; readonly last: number }>
}

export interface EventTable extends EventReader {
  append(changes: readonly Change[], at: number): Promise<void>
}

export const eventTable = (db: Queries): EventTable => ({
  async after(seq, limit) {
    const rows = await db.all<EventRow>(
      `SELECT seq, at, kind, session_id AS "sessionID", subject_id AS "subjectID"
         FROM events WHERE seq > :seq ORDER BY seq LIMIT :limit`,
      { seq, limit },
    )
    return rows.map(toEvent)
  },

  async bounds() {
    // One by one: for both together SQLite reads the whole table, and whoever follows asks at every commit.
    const row = await db.get<{ first: number | null; last: number | null }>(
      'SELECT (SELECT min(seq) FROM events) AS first, (SELECT max(seq) FROM events) AS last',
    )
    return { first: row?.first ?? 1, last: row?.last ?? 0 }
  },

  async append(changes, at) {
    for (const change of changes) {
      const row = await db.get<{ seq: number }>(
        `INSERT INTO events (at, kind, session_id, subject_id)
         VALUES (:at, :kind, :sessionID, :subjectID) RETURNING seq`,
        {
          at,
          kind: change.kind,
          sessionID: change.sessionID,
          subjectID: 'subjectID' in change ? change.subjectID : null,
        },
      )
      if (row && row.seq % pruneEvery === 0) {
        await db.run('DELETE FROM events WHERE at < :limit AND seq < :seq', {
          limit: at - keptFor,
          seq: row.seq,
        })
      }
    }
  },
})

type EventRow = TreeEvent & { readonly subjectID: string | null }

function toEvent(row: EventRow): TreeEvent {
  if (row.subjectID !== null) return row
  const { subjectID: _, ...event } = row
  return event
}
