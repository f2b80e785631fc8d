import { plainText } from '../../tree/plain-text.ts'
import { ReadingPanel } from '../panels/reading-panel.ts'
import { wrapped } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

export const turnRuns = 'A turn is running in this session. Wait for its end, or interrupt it; then fork.'

/** Says what went wrong, all of it. */
export const errorPanel = (ui: Ui, title: string, text: string): ReadingPanel =>
  new ReadingPanel(ui, { title, tone: 'bad', lines: (columns) => wrapped(plainText(text), columns) })

/** There is no fork while a turn runs. */
export const turnRunsPanel = (ui: Ui): ReadingPanel => errorPanel(ui, 'No fork now', turnRuns)
