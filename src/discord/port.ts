/** The few things of Discord that the bot uses, all in one conversation: the direct messages of its owner. */
export interface Port {
  /** Posts a message and resolves with its id. A nonce that was used a moment ago means the message that it made then. */
  send(content: Content, nonce: string): Promise<string>
  /** A message that is gone is none that could be edited, and that is fine; nor removed, nor unmarked. */
  edit(id: string, content: Content): Promise<void>
  remove(id: string): Promise<void>
  /** Shows for ten seconds that somebody writes. */
  typing(): Promise<void>
  /** Puts the bot's sign on a message. */
  mark(id: string): Promise<void>
  unmark(id: string): Promise<void>
  /** The owner's messages after one, oldest first. */
  heardAfter(id: string): AsyncIterable<Heard>
  /** The newest messages of both. Rejects with what to do. */
  recent(): Promise<readonly Recent[]>
  /** Asks for one of these until it is done. Rejects when it never will be, and when it is given up. */
  insist<T>(work: () => Promise<T>, givenUp: AbortSignal): Promise<T>
  /** Whether one of these was refused for good. */
  isRefusal(error: unknown): boolean
  /** Whether that was because of the message: another would be taken. */
  isUnfit(error: unknown): boolean
  /** The id that a message of that moment would have. */
  idAt(time: number): string
  close(): Promise<void>
}

/** What comes from Discord, all of it the owner's. Each is told of when it comes, though it may take a while to be ready. */
export interface Hearing {
  /** The connection stands, or stands again: messages may have been missed. */
  ready(): void
  message(heard: Promise<Heard>): void
  command(command: Promise<SlashCommand>): void
  click(click: Promise<Click>): void
  /** Discord has closed the connection for good, and why: nothing is heard any more. */
  lost(why: Error): void
  /** Something worth a line in the log. */
  log(words: string): void
}

/** What is said in one message. */
export interface Content {
  readonly text?: string
  readonly card?: Card
  readonly buttons?: readonly Button[]
  readonly file?: { readonly name: string; readonly text: string }
}

export interface Card {
  readonly title: string
  readonly body: string
  readonly colour: number
}

export interface Button {
  /** What a click on it brings back. */
  readonly id: string
  readonly label: string
  readonly look: 'plain' | 'good' | 'bad' | 'main'
  readonly isOff?: boolean
}

/** A message of the owner. */
export interface Heard {
  readonly id: string
  readonly text: string
  readonly replyTo: { readonly externalID: string; readonly text: string } | null
}

export interface Recent {
  readonly id: string
  /** What it says; empty for the owner's messages. */
  readonly text: string
  /** The ids of its buttons that can be clicked; none for the owner's messages. */
  readonly buttons: readonly string[]
  readonly isMarked: boolean
}

/** How whoever gave a command, or clicked, is answered: so that nobody else sees it. */
export interface Asker {
  tell(words: string): Promise<void>
}

export interface SlashCommand extends Asker {
  readonly name: string
  /** What was typed behind it; null for nothing. */
  readonly argument: string | null
  /** Answers so that it stays in the conversation. */
  show(content: Content): Promise<void>
  /** There is nothing to say: the conversation shows what came of it. */
  done(): Promise<void>
}

export interface Click extends Asker {
  readonly buttonID: string
  /** The message that has the button. */
  readonly messageID: string
  /** Switches the clicked button off. */
  switchOff(): Promise<void>
}

/** A command as Discord offers it. */
export interface CommandLook {
  readonly name: string
  readonly summary: string
  readonly argument?: { readonly name: string; readonly summary: string; readonly isRequired: boolean }
  /** Its answer stays in the conversation; else only the one who gave it sees it, for a while. */
  readonly staysInView?: boolean
}
