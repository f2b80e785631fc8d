/** What the system or git refused, and what to do about it; null for any other error. */
export function systemErrorWords(error: unknown): string | null {
  // Its class belongs to workspace/, which front ends do not reach.
  if (error instanceof Error && error.name === 'GitError')
    return `${error.message.trim()}. Git itself failed: "git status" and "git fsck" in that project may say why.`
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return null
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null
  const which = path ?? 'a file'
  switch (error.code) {
    case 'EMFILE':
    case 'ENFILE':
      return 'Too many files are open. End some programs, or raise the limit (ulimit -n), then try again.'
    case 'EAGAIN':
    case 'ENOMEM':
      return 'There is not enough memory, or too much runs here. End some programs, or raise the limits (ulimit -u, -v), then try again.'
    case 'ENOSPC':
    case 'EDQUOT':
      return `The disk is full${path === null ? '' : `: ${path} could not be written`}. Free some space and try again.`
    case 'EACCES':
    case 'EPERM':
      return `You may not use ${which} (${error.syscall}). Let yourself in with chmod or chown, then try again.`
    case 'EROFS':
      return `The file system of ${which} is read-only. Mount it for writing, or work elsewhere.`
    default:
      return null
  }
}
