import { ageOf } from '../age.ts'
import { shortID } from '../ids.ts'
import { plainLine } from '../plain-text.ts'
import type { Session } from '../session.ts'
import { costWords } from '../usage-words.ts'
import { cellsOf, cutToCells, padToCells } from './cells.ts'
import type { Paint } from './paint.ts'

export interface TableOptions {
  readonly now: number
  /** Lines are cut to it; null cuts only what is very long. */
  readonly columns: number | null
  readonly paint: Paint
}

const gap = '  '
const smallestTitle = 12
const widestTitle = 80

/** Sessions as a table. The title gives way when the terminal is narrow. */
export function drawSessions(
  sessions: readonly Session[],
  { now, columns, paint }: TableOptions,
): readonly string[] {
  const rows = sessions.map((session) => ({
    isIdle: session.state === 'idle',
    id: shortID(session.id),
    title: plainLine(session.title),
    agent: plainLine(session.agent),
    messages: String(session.messages),
    cost: costWords(session.cost),
    age: activityWords(session, now),
  }))
  const width = (of: keyof typeof heads): number =>
    rows.reduce((widest, row) => Math.max(widest, cellsOf(row[of])), cellsOf(heads[of]))
  // Where nothing has cost anything there is no column for it.
  const isPaid = rows.some(({ cost }) => cost !== '')
  const fixed = (['id', 'agent', 'messages', ...(isPaid ? (['cost'] as const) : []), 'age'] as const).map(
    width,
  )
  const others = fixed.reduce((sum, each) => sum + each + gap.length, 0)
  const room = columns === null ? widestTitle : Math.max(smallestTitle, columns - others)
  const titleWidth = Math.min(width('title'), room)

  const draw = (row: typeof heads): string[] => [
    padToCells(row.id, width('id')),
    padToCells(cutToCells(row.title, titleWidth), titleWidth),
    padToCells(row.agent, width('agent')),
    row.messages.padStart(width('messages')),
    ...(isPaid ? [padToCells(row.cost, width('cost'))] : []),
    row.age,
  ]
  const head = paint('dim', draw(heads).join(gap))
  return [
    head,
    ...rows.map((row) => {
      const [id = '', title = '', agent = '', ...rest] = draw(row)
      const age = rest.pop() ?? ''
      const shownAge = row.isIdle ? paint('dim', age) : paint('yellow', age)
      return [paint('cyan', id), title, paint('dim', agent), ...rest, shownAge].join(gap)
    }),
  ]
}

function activityWords({ state, updated, archived }: Session, now: number): string {
  const words = state === 'idle' ? ageOf(updated, now) : state
  return archived ? `${words} · archived` : words
}

const heads = { id: 'id', title: 'title', agent: 'agent', messages: 'messages', cost: 'cost', age: 'active' }
