// How Discord's own clients read a text. They know no other fence than three backticks: whatever stands before or behind those,
// the next three end the block.
const block = /```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n].*?)\n*```/gis

/** What stands in the blocks of code of a text. */
export const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(block)].map(([, code = '']) => code)

/** What stands outside of them, where signs mean something. */
export const proseOf = (text: string): string => text.replaceAll(block, '')
