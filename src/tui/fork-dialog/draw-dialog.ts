import { plainText } from '../../tree/plain-text.ts'
import { buttonRow } from '../panels/button-row.ts'
import { boxed } from '../screen/box.ts'
import { type Area, below, type Frame, linesOnly, type Size } from '../screen/frame.ts'
import { wrapped } from '../screen/wrap.ts'
import { type DialogView, dialogRows } from './dialog-rows.ts'

const widest = 76

/** The dialog as a box; what does not fit is scrolled, so that the field with the keys is seen. */
export function drawDialog(
  view: DialogView,
  { columns, rows }: Size,
): { readonly frame: Frame; readonly scrolled: number } {
  const { ui, isReading, wrong, submit, close } = view
  const { paint } = ui.theme
  const width = Math.min(columns, widest)
  const room = width - 4
  const all = dialogRows(view, room)
  const error = wrong === null ? [] : wrapped(plainText(wrong), room).map((line) => paint('bad', line))
  const buttons = buttonRow(paint, [
    { label: 'Fork', isMain: true, does: submit },
    { label: 'Close', isMain: false, does: close },
  ])
  const height = Math.max(1, Math.min(all.length, rows - 3 - error.length))
  const focus = all.findIndex(({ isFocus }) => isFocus)
  const last = Math.max(0, all.length - height)
  // The field stands in the middle of what is shown, as far as that goes.
  const natural = Math.max(0, Math.min(focus - Math.floor(height / 2), last))
  const top = Math.max(0, Math.min(natural + view.scrolled, last))
  const shown = all.slice(top, top + height)
  const areas = shown.flatMap(({ does }, row): readonly Area[] =>
    does ? [{ row, from: 0, to: room, does: does }] : [],
  )
  const body = below({ lines: shown.map(({ text }) => text), areas }, linesOnly(...error), buttons)
  const keys = width < 60 ? 'Enter forks · Esc closes' : 'Enter forks · Tab ↑ ↓ ← → choose · Esc closes'
  const foot = isReading ? 'Looking …' : keys
  return { frame: boxed(body, width, { paint, title: 'Fork session', foot }), scrolled: top - natural }
}
