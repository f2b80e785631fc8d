/** Text that every engine can store and give back unchanged: no NUL, no half of a surrogate pair. */
export const storable = (text: string): string =>
  text.includes('\0') || !text.isWellFormed() ? text.replaceAll('\0', '\uFFFD').toWellFormed() : text
