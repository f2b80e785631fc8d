import type { MessageID, SessionID, TurnID } from '../../../src/tree/ids.ts'

/** What people said and did, and what of that they were told is done. */
export class Said {
  readonly prompts = new Map<MessageID, { readonly sessionID: SessionID; readonly mark: string }>()
  readonly turns = new Map<TurnID, SessionID>()
  readonly sessions = new Map<SessionID, { readonly forkPoint: MessageID | null }>()
  /** Those that somebody wanted to delete, whether that was done or not. */
  readonly removed = new Set<SessionID>()
  /** What the owner wrote on Discord, by its id there. */
  readonly onDiscord = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  #marks = 0

  /** A word that no other message has. */
  newMark(): string {
    this.#marks++
    return `soak-${this.#marks}-mark`
  }

  count(deed: string): void {
    this.#counts.set(deed, (this.#counts.get(deed) ?? 0) + 1)
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }
}

export const markIn = (text: string): string | null => /^soak-\d+-mark/m.exec(text)?.[0] ?? null
