// What was typed in a project, to be brought back with ↑.

/** So many, and each so long at most, are kept from one start to the next. */
const most = 100
const longest = 10_000

/** What a file says, oldest first. */
export const saidIn = (content: unknown): readonly string[] =>
  Array.isArray(content) ? content.filter((each) => typeof each === 'string').slice(-most) : []

/** The same with one more; what was said again counts where it was said last. */
export const withSaid = (said: readonly string[], text: string): readonly string[] =>
  text.length > longest ? said : [...said.filter((each) => each !== text), text].slice(-most)
