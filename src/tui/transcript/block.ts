/** A part of a Markdown text that is drawn by itself. */
export type Block = TextBlock | CodeBlock

interface AnyBlock {
  /** Where in the text it begins. */
  readonly from: number
  /** An empty line stands before it. */
  readonly hasGap: boolean
}

/** A paragraph, a heading, an item of a list, a table, a quotation. */
export interface TextBlock extends AnyBlock {
  readonly kind: 'text'
  readonly text: string
}

/** Code between fences, or a part of it where it is long. */
export interface CodeBlock extends AnyBlock {
  readonly kind: 'code'
  /** What stands after the opening fence. */
  readonly language: string
  readonly lines: readonly string[]
  /** The lines before it, where it is a part: what began there may go on here. Not all where there are many. */
  readonly before: readonly string[]
  /** A last line that may go on; null where there is none. */
  readonly unfinished: string | null
  readonly isFirst: boolean
  readonly isLast: boolean
  /** More lines may come. */
  readonly isOpen: boolean
}
