import { cutTo } from './limits.ts'

/**
 * A text as it stands, in a block that nothing in it can end; cut where it would be longer. To Discord any three backticks are a
 * fence, also within a longer one: so those of the text are kept apart, by a space that has no width.
 */
export const codeBlock = (text: string, longest = Number.POSITIVE_INFINITY): string =>
  `\`\`\`\n${cutTo(text.replace(/``(?=`)/g, '``\u200b'), longest)}\n\`\`\``
