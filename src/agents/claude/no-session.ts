import { BoughError } from '../../tree/error.ts'

export const missing = (cause?: unknown): BoughError =>
  new BoughError('native_missing', 'Claude does not have this session any more: its file is gone.', { cause })

/** Whether Claude's words mean that a session, or the entry to fork it at, is not there. */
export const saysMissing = (words: string): boolean => /No (message|conversation) found/.test(words)

export const unreadable = (cause?: unknown): BoughError =>
  new BoughError(
    'native_unreadable',
    'Claude has a file of this session, but it cannot be read or makes no sense. See whether claude --resume opens it.',
    { cause },
  )
