import { stat } from 'node:fs/promises'
import { BoughError } from '../tree/error.ts'
import type { Session } from '../tree/session.ts'

export async function mustHaveDirectory({ directory }: Pick<Session, 'directory'>): Promise<void> {
  const found = await stat(directory).catch(() => null)
  if (!found?.isDirectory()) {
    throw new BoughError(
      'directory_gone',
      `The session's directory ${directory} is gone. Make it again, then try once more.`,
    )
  }
}
