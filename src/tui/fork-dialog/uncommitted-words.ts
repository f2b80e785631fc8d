import { filesWord } from '../../tree/file-change.ts'
import { commitWords, type FilesChoice, type WorktreeBase } from '../../tree/files-mode.ts'
import { plainLine } from '../../tree/plain-text.ts'

/** What is known of files that are not as they were. */
export interface Uncommitted {
  /** How many are not as in the last commit; null where git cannot tell. */
  readonly dirty: number | null
  /** How many are not as they were at the message; null where nobody knows. */
  readonly since: number | null
  /** The commit that a new worktree begins at; null where none can be had. */
  readonly base: WorktreeBase | null
}

/** How many files are not committed, before anything is chosen. */
export const dirtyWords = (dirty: number | null): string =>
  dirty === null
    ? 'git cannot tell which files are not committed.'
    : `${filesWord(dirty)} ${dirty === 1 ? 'is' : 'are'} not committed. Commit first to be safe; what becomes of ${dirty === 1 ? 'it' : 'them'} otherwise is said below.`

/** What becomes of files with each choice, of those that are not committed above all. */
export const becomesOf: Readonly<Record<FilesChoice, (found: Uncommitted) => string>> = {
  worktree({ dirty, since, base }) {
    if (base?.isCurrent ?? since === 0) {
      const copied = dirty === 0 ? '' : ' Uncommitted files are copied to the fork and stay here.'
      return `${beginsAt(base)}${copied}`.trim()
    }
    const then = `${beginsAt(base)} The fork has the files of that message, also what was not committed then.`
    if (since === null) return then.trim()
    return `${then} ${filesWord(since)} changed since: that stays here only.`.trim()
  },
  clean({ dirty, base }) {
    if (base && !base.isCurrent)
      return `${beginsAt(base)} The fork has the files of that commit, nothing else.`
    return `${beginsAt(base)} ${leftBehind(dirty)}`.trim()
  },
  same: ({ dirty }) =>
    `Both sessions then work on the same files${dirty === 0 ? '' : ', those not committed included'}.`,
  restore({ dirty, since }) {
    if (since === 0) return 'The files are as they were then: nothing would change.'
    const saved = dirty === 0 ? '' : ' What is not committed is saved first.'
    return `${filesWord(since ?? 0)} would change here. It asks once more, and /undo takes it back.${saved}`
  },
}

const beginsAt = (base: WorktreeBase | null): string =>
  base === null ? '' : `Its branch begins at ${plainLine(commitWords(base))}.`

function leftBehind(dirty: number | null): string {
  if (dirty === 0) return 'It has what is committed, nothing else.'
  if (dirty === null) return 'What is not committed stays behind.'
  return dirty === 1
    ? '1 file that is not committed stays behind. Commit first if the fork is to have it.'
    : `${dirty} files that are not committed stay behind. Commit first if the fork is to have them.`
}
