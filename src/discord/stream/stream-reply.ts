import { setTimeout as pause } from 'node:timers/promises'
import type { Permission } from '../../tree/permission.ts'
import type { Turn } from '../../tree/turn.ts'
import type { Content, Port } from '../port.ts'
import { Pages } from './pages.ts'
import { ReplyText } from './reply-text.ts'
import { split } from './split.ts'
import { withMark } from './unfinished.ts'

export interface StreamOptions {
  readonly port: Port
  readonly pace: Pace
  /** Posts a message, and notes that it shows the turn; resolves with its id. */
  post(content: Content, nonce: string): Promise<string>
  /** The agent asks for something. */
  asked(permission: Permission): void
}

/** In milliseconds. */
export interface Pace {
  /** Between two edits. */
  readonly edits: number
  /** Between two looks whether there is something to show. */
  readonly looks: number
  /** Between two signs that somebody writes. */
  readonly typing: number
  /** How long Discord may refuse the end of a reply before somebody else has to send it. */
  readonly patience: number
}

export const usualPace: Pace = { edits: 1_100, looks: 50, typing: 8_000, patience: 15_000 }

/**
 * Shows a turn as it runs: one edit at a time, with the newest text, and in the end all of it. Rejects when Discord does not take
 * the end of it.
 */
export async function streamReply(turn: Turn, options: StreamOptions): Promise<void> {
  const { port, pace, post, asked } = options
  const givenUp = new AbortController()
  const pages = new Pages({ port, id: turn.id, post, givenUp: givenUp.signal })
  const reply = new ReplyText()
  const over = new AbortController()
  const read = (async () => {
    for await (const event of turn.events) {
      reply.take(event)
      if (event.type === 'permission') asked(event.permission)
    }
    return turn.ended
  })().finally(() => over.abort())
  void keepTyping(port, pace, over.signal)
  const shown = showWhileItRuns(reply, pages, pace, over.signal).then(async () =>
    showWhole(reply.whole(await read), pages, pace, givenUp.signal),
  )
  const late = read.then(() => pause(pace.patience, 'late' as const, { ref: false }))
  if ((await Promise.race([shown, late])) !== 'late') return
  givenUp.abort()
  throw new Error('Discord did not take the end of a reply in time.')
}

async function showWhileItRuns(reply: ReplyText, pages: Pages, pace: Pace, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // What cannot be shown now is shown with the next piece, or in the end.
    const isEdited = await pages.show(withMark(split(reply.soFar), reply.doing)).catch(() => true)
    if (isEdited) await pause(pace.edits)
    else await pause(pace.looks, undefined, { signal: over }).catch(() => {})
  }
}

async function showWhole(text: string, pages: Pages, { edits }: Pace, givenUp: AbortSignal): Promise<void> {
  while (!givenUp.aborted) {
    try {
      await pages.show(split(text))
      return
    } catch {
      await pause(edits)
    }
  }
}

async function keepTyping(port: Port, { typing }: Pace, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // It is only a sign.
    await port.typing().catch(() => {})
    await pause(typing, undefined, { signal: over }).catch(() => {})
  }
}
