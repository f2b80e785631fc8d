import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Upload } from './files.ts'

export interface RequestBody {
  /** Undefined when there is none, or when it is no JSON. */
  readonly body: unknown
  readonly uploads: readonly Upload[]
}

/** Reads JSON, or a form with the JSON in one field and files in others. */
export async function readBody(request: IncomingMessage): Promise<RequestBody> {
  const raw = await buffer(request)
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return { body: json(raw.toString()), uploads: [] }
  const form = await new Response(raw, { headers: { 'content-type': type } }).formData()
  const uploads: Upload[] = []
  for (const [field, value] of form) {
    const key = /^files\[(\d+)\]$/.exec(field)?.[1]
    if (key === undefined || typeof value === 'string') continue
    const content = Buffer.from(await value.arrayBuffer())
    uploads.push({ key, filename: value.name, contentType: value.type, content })
  }
  return { body: json(String(form.get('payload_json') ?? '')), uploads }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
