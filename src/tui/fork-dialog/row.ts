import { plainText } from '../../tree/plain-text.ts'
import type { Tone } from '../screen/theme.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

/** A line of the dialog. */
export interface Row {
  readonly text: string
  /** The keys are here. */
  readonly isFocus?: boolean
  does?(): void
}

/** So wide is the column of the labels. */
export const labelled = 11

/** A label, with a mark where the keys are. */
export const labelOf = (label: string, isFocus: boolean): string =>
  `${isFocus ? '›' : ' '}${label.padEnd(labelled - 1)}`

/** A text behind its label, in as many rows as it takes. */
export const said = (label: string, text: string, room: number): readonly Row[] =>
  wrapped(plainText(text), room - labelled).map((line, i) => ({
    text: labelOf(i === 0 ? label : '', false) + line,
  }))

/** A text below what it belongs to. */
export const painted = ({ theme }: Ui, tone: Tone, text: string, room: number): readonly Row[] =>
  wrapped(plainText(text), room - labelled).map((line) => ({
    text: labelOf('', false) + theme.paint(tone, line),
  }))
