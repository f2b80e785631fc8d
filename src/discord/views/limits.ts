/** What Discord takes at the most, in characters. */
export const limits = {
  cardTitle: 256,
  cardBody: 4096,
  buttonLabel: 80,
  buttonsInRow: 5,
  /** Words of bough's own. */
  aside: 1500,
} as const

/** The beginning of a text that fits, with `…` for what is left out; no character is cut in two. */
export function cutTo(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.charCodeAt(most - 2)
  return `${text.slice(0, end >= 0xd800 && end <= 0xdbff ? most - 2 : most - 1)}…`
}

/** Words of bough's own, small, so that nobody takes them for the agent's. They may name files, prompts and errors: letter for letter. */
export const aside = (words: string): string =>
  cutTo(
    words
      .replace(addressOrSign, (found) => (found.length === 1 ? `\\${found}` : found))
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => `-# ${line}`)
      .join('\n'),
    limits.aside,
  )

// A backslash would become a part of the address.
const addressOrSign = /https?:\/\/\S+|[\\`*_~|]/g
