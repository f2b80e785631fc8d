import { onOneLine } from './text.ts'

/** Tells the person, by what they had asked, that a turn ended with its process. */
export const cutOffWords = (prompt: string): string =>
  `${prompt === '' ? 'A turn' : `“${onOneLine(prompt, 60)}”`} was cut off: the process that ran it is gone. What was said until then is kept.`
