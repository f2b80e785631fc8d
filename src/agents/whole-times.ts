import type { NativeSession } from '../tree/native.ts'
import type { NativeHistory } from './driver.ts'

// File systems tell times to a fraction of a millisecond, and a driver may pass that on; the store and the wire take whole ones.

export const wholeHistory = (history: NativeHistory): NativeHistory => ({
  ...history,
  session: wholeSession(history.session),
  messages: history.messages.map((message) => ({ ...message, created: Math.floor(message.created) })),
})

export const wholeSession = (session: NativeSession): NativeSession => ({
  ...session,
  created: Math.floor(session.created),
  updated: Math.floor(session.updated),
})
