import { cutTo } from './limits.ts'

/** What begins and ends a block of code: Discord knows nothing else that does. */
export const fence = '```'

/** A text as it stands, in a block that nothing in it can end; cut where it would be longer. */
export const codeBlock = (text: string, longest = Number.POSITIVE_INFINITY): string =>
  `${fence}\n${cutTo(withoutFences(text), longest)}\n${fence}`

/**
 * Code in which Discord sees no fence. To it any three backticks are one, also within a longer fence: so they are kept apart, by
 * a space that has no width.
 */
export const withoutFences = (code: string): string => code.replace(/``(?=`)/g, '``\u200b')
