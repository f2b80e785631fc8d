import { basename } from 'node:path'
import type { TreeRow } from '../../tree/forest.ts'
import { plainLine } from '../../tree/plain-text.ts'
import { type KeyHint, keyLine } from '../panels/key-line.ts'
import { type Area, cut, type Frame, filled, type Size, widthOf } from '../screen/frame.ts'
import { drawLines } from './draw-lines.ts'
import { isLooking } from './filter.ts'
import { kindsWords, sessionsWord } from './row-words.ts'
import type { SessionTree } from './session-tree.ts'

/** From so many columns on the preview stands beside the tree; below that, under it where there are so many rows. */
const wide = 110
const high = 16

const browsing: readonly KeyHint[] = [
  ['tree.show', 'open'],
  ['tree.fork', 'fork'],
  ['tree.mark', 'mark'],
  ['tree.compare', 'compare'],
  ['tree.filter', 'find'],
  [['tree.fold', 'tree.unfold'], 'fold'],
  ['tree.rename', 'rename'],
  ['tree.label', 'label'],
  ['tree.archive', 'archive'],
  ['tree.parent', 'parent'],
  ['tree.kind', 'kind'],
  ['tree.agent', 'agent'],
  ['tree.archived', 'show archived'],
  ['tree.projects', 'all projects'],
  ['tree.foldAll', 'fold all'],
  ['tree.close', 'close'],
]

const finding: readonly KeyHint[] = [
  ['list.choose', 'keep'],
  ['list.close', 'show all'],
]

const changing: readonly KeyHint[] = [
  ['list.choose', 'change it'],
  ['list.close', 'leave it'],
]

/** The panel: what is shown, the tree, the preview, the keys. */
export function drawPanel(tree: SessionTree, { columns, rows }: Size): Frame {
  const { ui, typing, view } = tree
  const head = [header(tree, columns), ...(typing ? [typingLine(tree, columns)] : [])]
  const hints = typing ? (typing.what === 'filter' ? finding : changing) : browsing
  const foot = keyLine(ui, hints, columns)
  const room = Math.max(1, rows - head.length - 1)
  const isBeside = columns >= wide
  const below = !isBeside && room >= high ? Math.floor(room * 0.38) : 0
  const listRows = Math.max(1, room - below)
  const listColumns = isBeside ? Math.floor(columns * 0.58) : columns
  const shown = view.show(listRows)
  const list = shown.length > 0 ? drawLines(shown, lookOf(tree, listColumns)) : [emptyLine(tree, listColumns)]
  const beside = isBeside
    ? tree.preview.draw(view.selectedRow, { columns: columns - listColumns - 3, rows: listRows }, ui.theme)
    : []
  const { paint } = ui.theme
  const body = Array.from({ length: listRows }, (_, i) =>
    isBeside
      ? `${filled(list[i] ?? '', listColumns)}${paint('dim', ' │ ')}${beside[i] ?? ''}`
      : (list[i] ?? ''),
  )
  const areas: Area[] = shown.map(({ key }, i) => ({
    row: head.length + i,
    from: 0,
    to: listColumns,
    does: () => tree.click(key),
  }))
  return { lines: [...head, ...body, ...previewBelow(tree, columns, below), foot], areas }
}

function previewBelow(tree: SessionTree, columns: number, rows: number): readonly string[] {
  if (rows === 0) return []
  const { theme } = tree.ui
  const said = tree.preview.draw(tree.view.selectedRow, { columns: columns - 2, rows: rows - 1 }, theme)
  const rule = theme.paint('dim', '─'.repeat(columns))
  const lines = [rule, ...said.map((line) => ` ${line}`)]
  return Array.from({ length: rows }, (_, i) => lines[i] ?? '')
}

function header({ ui, view, forest, marks }: SessionTree, columns: number): string {
  const { kind, agent, text, archived, project } = view.wish
  const where = project === null ? 'all projects' : plainLine(basename(project))
  const words = [
    where,
    ...(forest.isLoaded ? [sessionsWord(view.count)] : ['reading …']),
    ...(kind === null ? [] : [`only ${kindsWords[kind]}`]),
    ...(agent === null ? [] : [`only ${plainLine(agent)}`]),
    ...(text === '' ? [] : [`“${plainLine(text)}”`]),
    ...(archived ? ['archived too'] : []),
    ...(marks.marked === null ? [] : ['1 marked: mark another to compare']),
  ]
  const { paint } = ui.theme
  return filled(paint('strong', ' Session tree ') + paint('dim', words.join(' · ')), columns)
}

function typingLine({ typing, ui }: SessionTree, columns: number): string {
  if (!typing) return ''
  const label = ` ${typing.label} `
  const field = typing.draw(Math.max(1, columns - widthOf(label)))
  return filled(`${ui.theme.paint('accent', label)}${field}`, columns)
}

function emptyLine({ forest, view, ui }: SessionTree, columns: number): string {
  if (!forest.isLoaded) return ''
  const words = isLooking(view.wish) ? 'No session fits that.' : 'There are no sessions here yet.'
  return ui.theme.paint('dim', cut(`  ${words}`, columns))
}

function lookOf(tree: SessionTree, columns: number) {
  const { ui, view, forest, marks } = tree
  const { mainID } = ui.tab.place.channel
  return {
    columns,
    theme: ui.theme,
    now: ui.now(),
    selected: view.selected?.key ?? null,
    hereID: view.hereID,
    marked: marks.marked === null ? [] : [marks.marked],
    asked: forest.asked,
    // Whatever is open in a tab is main there: marked is the one of this tab, and what forks come back to.
    isMain: ({ id, isMain }: TreeRow) => id === mainID || (isMain && view.hasComebacks(id)),
  }
}
