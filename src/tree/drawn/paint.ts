import type { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Colours a text, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string

/** For where there are no colours. */
export const noPaint: Paint = (_style, text) => text
