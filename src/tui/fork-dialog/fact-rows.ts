import { basename } from 'node:path'
import { plainLine } from '../../tree/plain-text.ts'
import { widthOf } from '../screen/frame.ts'
import type { DialogView } from './dialog-rows.ts'
import { type Facts, warningsOf } from './facts.ts'
import { barOf, fullnessOf } from './fullness.ts'
import { labelled, labelOf, painted, type Row, said } from './row.ts'

const longestBar = 20

/** How full the agent would be, how it gets the conversation, and how its workspace stands. */
export function factRows(shown: DialogView, room: number): readonly Row[] {
  const { facts, ui } = shown
  const { paint } = ui.theme
  if (!facts) return said('Context', '…', room)
  const warnings = warningsOf(facts)
  const about = (subject: 'context' | 'workspace'): readonly Row[] =>
    warnings
      .filter((warning) => warning.about === subject)
      .flatMap(({ text, tone }) => painted(ui, tone, text, room))
  const { status, context } = facts
  const rows: Row[] = []
  if (status.ok) {
    const { share, words, tone } = fullnessOf(status.value, context.ok ? context.value : null, facts.agent)
    const bar =
      share === null ? '' : paint(tone, barOf(share, Math.max(0, Math.min(longestBar, room - labelled))))
    const isWide = bar !== '' && labelled + longestBar + 1 + widthOf(words) <= room
    if (isWide) rows.push({ text: `${labelOf('Context', false)}${bar} ${words}` })
    else rows.push(...said('Context', words, room))
    if (bar !== '' && !isWide) rows.push({ text: labelOf('', false) + bar })
    rows.push(...about('context'))
  }
  if (context.ok) rows.push(...painted(ui, 'dim', contextWords(facts), room))
  rows.push(...said('Workspace', workspaceWords(shown), room), ...about('workspace'))
  return rows
}

function contextWords({ context }: Facts): string {
  if (!context.ok) return ''
  const { kind, why } = context.value
  return kind === 'native' ? `Native: ${why}` : `Seeded: the conversation is handed over as a prompt. ${why}`
}

function workspaceWords({ session, facts }: DialogView): string {
  const name = plainLine(basename(session.directory))
  if (!facts?.status.ok) return name
  const { git } = facts.status.value
  const isGone = facts.choices.some(({ mode, obstacle }) => mode === 'same' && obstacle !== null)
  if (isGone) return `${name}, which is gone`
  if (!git) return `${name}, no git project`
  const clean = git.dirty === 0 ? ', all committed' : ''
  return `${name}, ${git.branch === null ? 'no branch' : `branch ${plainLine(git.branch)}`}${clean}`
}
