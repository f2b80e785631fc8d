import { rmdirSync } from 'node:fs'

/**
 * A Codex that was killed may have left an empty /tmp/.git. Claude then takes /tmp for the project of every test, and bough's
 * sandbox, which hides it, for another one.
 */
export default function removeLeftGit(): void {
  try {
    rmdirSync('/tmp/.git')
  } catch {
    // There is none, or it is somebody's.
  }
}
