import { shortID } from '../tree/ids.ts'
import type { Session } from '../tree/session.ts'
import { ageOf } from './age.ts'
import { cellsOf, cutToCells, padToCells } from './cells.ts'
import type { Paint } from './output.ts'
import { plainLine } from './plain-text.ts'

export interface TableOptions {
  readonly now: number
  /** Lines are cut to it; null cuts nothing. */
  readonly columns: number | null
  readonly paint: Paint
}

const gap = '  '
const smallestTitle = 12

/** Sessions as a table. The title gives way when the terminal is narrow. */
export function drawSessions(
  sessions: readonly Session[],
  { now, columns, paint }: TableOptions,
): readonly string[] {
  const rows = sessions.map((session) => ({
    running: session.state === 'running',
    id: shortID(session.id),
    title: plainLine(session.title),
    agent: plainLine(session.agent),
    messages: String(session.messages),
    age: session.state === 'running' ? 'running' : ageOf(session.updated, now),
  }))
  const width = (of: 'id' | 'title' | 'agent' | 'messages' | 'age'): number =>
    rows.reduce((widest, row) => Math.max(widest, cellsOf(row[of])), cellsOf(heads[of]))
  const others = width('id') + width('agent') + width('messages') + width('age') + 4 * gap.length
  const titleWidth =
    columns === null ? width('title') : Math.min(width('title'), Math.max(smallestTitle, columns - others))

  const draw = (row: typeof heads): string[] => [
    padToCells(row.id, width('id')),
    padToCells(cutToCells(row.title, titleWidth), titleWidth),
    padToCells(row.agent, width('agent')),
    row.messages.padStart(width('messages')),
    row.age,
  ]
  const head = paint('dim', draw(heads).join(gap))
  return [
    head,
    ...rows.map((row) => {
      const [id = '', title = '', agent = '', messages = '', age = ''] = draw(row)
      const shownAge = row.running ? paint('yellow', age) : paint('dim', age)
      return [paint('cyan', id), title, paint('dim', agent), messages, shownAge].join(gap)
    }),
  ]
}

const heads = { id: 'id', title: 'title', agent: 'agent', messages: 'messages', age: 'active' }
