import { createHash } from 'node:crypto'

/** A nonce that is the same whenever the same thing is sent again. Discord takes at most 25 characters. */
export const nonceOf = (id: string, piece = 0): string =>
  createHash('sha256').update(`${id} ${piece}`).digest('base64url').slice(0, 24)
