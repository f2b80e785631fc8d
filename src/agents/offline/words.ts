const list = 'bark twig leaf root bough stem seed bud crown ring sap moss fern thorn petal acorn grove'.split(
  ' ',
)

export const countWords = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** So many words, always the same; together they read as a text. */
export function* wordsInSequence(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield (i === 0 ? '' : ' ') + list[i % list.length]
}

/** A text as the pieces it is said in, a few words each; together they are the text. */
export const inPieces = (text: string): readonly string[] =>
  // Without the spaces at its end: at each of them, a piece would be looked for to the end.
  text.trimEnd().match(/(?:\s*\S+){1,3}/g) ?? []
