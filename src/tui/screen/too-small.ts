import { cut, type Frame, linesOnly, type Size, tall } from './frame.ts'

/** On a smaller screen nothing can be read, and the library breaks wide characters without end. */
const smallest: Size = { columns: 12, rows: 4 }

/** What is drawn instead of everything else where there is no room for it; null where there is. */
export const tooSmall = ({ columns, rows }: Size): Frame | null =>
  columns < smallest.columns || rows < smallest.rows
    ? tall(linesOnly(cut('bough: too small', columns)), rows)
    : null
