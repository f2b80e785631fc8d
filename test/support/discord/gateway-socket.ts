import { constants, createDeflate, type Deflate, deflateSync } from 'node:zlib'
import type { GatewayOpcodes } from 'discord-api-types/v10'
import { WebSocket } from 'ws'

export interface Frame {
  readonly op: GatewayOpcodes
  readonly d?: unknown
  readonly s?: number | null
  readonly t?: string | null
}

/** One client's connection: sends frames, compressed in the way that the client asked for. */
export class GatewaySocket {
  /** The client wants every large frame compressed by itself. */
  compressesFrames = false
  readonly #ws: WebSocket
  /** The whole connection is one compressed stream; frames go through it one after the other. */
  readonly #stream: Deflate | null
  #sent: Promise<void> = Promise.resolve()

  constructor(ws: WebSocket, { streamed }: { readonly streamed: boolean }) {
    this.#ws = ws
    this.#stream = streamed ? createDeflate() : null
    ws.on('close', () => this.#stream?.close())
  }

  get isOpen(): boolean {
    return this.#ws.readyState === WebSocket.OPEN
  }

  send(frame: Frame): void {
    const text = JSON.stringify(frame)
    const stream = this.#stream
    if (stream) this.#sent = this.#sent.then(() => this.#sendThrough(stream, text))
    else if (this.compressesFrames && text.length > 1024) this.#ws.send(deflateSync(text))
    else this.#ws.send(text)
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason)
  }

  terminate(): void {
    this.#ws.terminate()
  }

  #sendThrough(stream: Deflate, text: string): Promise<void> {
    if (!this.isOpen) return Promise.resolve()
    return new Promise((done) => {
      const pieces: Buffer[] = []
      const gather = (piece: Buffer): void => {
        pieces.push(piece)
      }
      stream.on('data', gather)
      stream.write(text)
      stream.flush(constants.Z_SYNC_FLUSH, () => {
        stream.off('data', gather)
        if (this.isOpen) this.#ws.send(Buffer.concat(pieces))
        done()
      })
    })
  }
}
