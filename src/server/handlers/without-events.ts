import type { Turn } from '../../tree/turn.ts'

/** What a reader is told of a turn that has begun: which it is, but not what happens in it. */
export const withoutEvents = ({ id, sessionID, prompt }: Turn) => ({ id, sessionID, prompt })
