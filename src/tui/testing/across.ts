/** Words that may be broken over several lines, in a box or not. */
export const across = (text: string): RegExp =>
  new RegExp(
    text
      .split(' ')
      .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('(?:\\s+|\\s*│.*\\n.*?│\\s+)'),
  )
