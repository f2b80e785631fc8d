import { type APIAttachment, RESTJSONErrorCodes } from 'discord-api-types/v10'
import { ApiError } from './api-error.ts'
import type { MessageBody } from './message-body.ts'

/** A file on its way in; `key` is its number in the request, by which the body may describe it. */
export interface Upload {
  readonly key: string
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

/** A file that stands at a message, with its bytes. */
export interface SentFile {
  readonly messageID: string
  readonly attachment: APIAttachment
  readonly content: Buffer
}

export const attachmentSizeLimit = 10 * 1024 * 1024

/** The files of all messages. They can be fetched at the address that their attachments give. */
export class Files {
  readonly sent: SentFile[] = []
  readonly #nextID: () => string
  readonly #origin: () => string

  constructor(nextID: () => string, origin: () => string) {
    this.#nextID = nextID
    this.#origin = origin
  }

  /** The files as attachments; they are kept only by `keep`, when the message has been accepted. */
  prepare(
    uploads: readonly Upload[],
    { id: messageID, channelID }: { readonly id: string; readonly channelID: string },
    described: MessageBody['attachments'] = [],
  ): SentFile[] {
    return uploads.map(({ key, filename, contentType, content }) => {
      if (content.length > attachmentSizeLimit)
        throw new ApiError(413, RESTJSONErrorCodes.RequestEntityTooLarge, 'Request entity too large')
      const id = this.#nextID()
      const url = `${this.#origin()}/attachments/${channelID}/${id}/${encodeURIComponent(filename)}`
      const description = described.find((one) => one.id === key)?.description
      const attachment: APIAttachment = {
        id,
        filename,
        size: content.length,
        url,
        proxy_url: url,
        content_type: contentType,
        ...(typeof description === 'string' && { description }),
      }
      return { messageID, attachment, content }
    })
  }

  keep(files: readonly SentFile[]): void {
    this.sent.push(...files)
  }

  at(path: string): SentFile | undefined {
    return this.sent.find(({ attachment }) => new URL(attachment.url).pathname === path)
  }
}
