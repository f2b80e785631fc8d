import { below, type Frame, filled, linesOnly, type Size, tall } from '../screen/frame.ts'
import type { Panel } from './panel.ts'

/** A panel that covers all else; what is told stands below it. */
export function wholePanel(panel: Panel, { columns, rows }: Size, told: readonly string[]): Frame {
  const room = { columns, rows: rows - told.length }
  return below(tall(panel.draw(room), room.rows), linesOnly(...told.map((line) => filled(line, columns))))
}
