import { messageOf } from '../../tree/error.ts'
/** What bough says of commands of the shell, in the words that count here; what has none here stays as it is. */
export const hereWords = (text: string): string =>
  text.replace(shellCommand, (quoted, shell: string) => hereFor.get(shell) ?? quoted).replace(option, '')

/** What went wrong, for a person who is here. */
export const errorWords = (error: unknown): string => hereWords(messageOf(error))

const shellCommand = /"(bough [^"]+)"/g

// An option says once more, for the shell, what stands before it.
const option = / \(--files [a-z]+\)/g

/** What does here what a command does in a shell. */
export const hereFor: ReadonlyMap<string, string> = new Map([
  ['bough runs', '/runs'],
  ['bough runs --all', '/runs'],
  ['bough approve', '/approvals'],
  ['bough ls', '/tree'],
  ['bough tree', '/tree'],
  ['bough new', '/new'],
  ['bough undo', '/undo'],
  ['bough undo --finish', '/undo finish'],
])
