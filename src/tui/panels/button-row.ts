import { type Area, type Frame, widthOf } from '../screen/frame.ts'
import type { Paint } from '../screen/theme.ts'

export interface Button {
  readonly label: string
  /** What Enter does, too. */
  readonly isMain: boolean
  does(): void
}

/** Buttons beside each other, for the mouse. */
export function buttonRow(paint: Paint, buttons: readonly Button[]): Frame {
  let line = ''
  let from = 0
  const areas: Area[] = []
  for (const { label, isMain, does } of buttons) {
    const text = `[ ${label} ]`
    areas.push({ row: 0, from, to: from + widthOf(text), does })
    line += `${paint(isMain ? 'accent' : 'dim', text)} `
    from += widthOf(text) + 1
  }
  return { lines: [line.trimEnd()], areas }
}
