/** What a test wants of `server.ts`. */
export interface Serving {
  readonly project: string
  readonly token: string
  /** 0 for any that is free. */
  readonly port: number
  /** Milliseconds between two words of its agent. */
  readonly pace: number
}

/** To measure; there is nothing else that it is told. */
export interface ServerOrder {
  readonly id: number
}

export interface Measured {
  readonly kind: 'measured'
  readonly id: number
  /** Bytes in use after garbage was collected. */
  readonly used: number
  /** Each answer that is still open: the bytes that wait for its reader, and whether nothing follows them. */
  readonly streams: readonly { readonly waiting: number; readonly isEnded: boolean }[]
}

export type ServerReport = { readonly kind: 'serving'; readonly url: string } | Measured
