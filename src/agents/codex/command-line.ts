import { shellWords } from '../../tree/shell/words.ts'

/** A command as a person would type it: Codex tells it with the shell that runs it, `/bin/bash -lc '…'`. */
export function typedCommand(command: string): string {
  const words = shellWords(command)
  if (words?.length !== 3) return command
  const [shell = '', flag = '', script = ''] = words
  // Any other program that is called so is somebody's own, and may do what it likes.
  return /^(\/usr)?(\/local)?\/bin\/(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) ? script : command
}
