export interface ConnectOptions {
  /** Where the server is, like `http://127.0.0.1:4517`. */
  readonly url: string
  readonly token: string
}
