import * as z from 'zod/mini'
import { BoughError, messageOf } from './error.ts'
import type { Json, Message, MessageStatus, Part, Role } from './message.ts'
import type { Session } from './session.ts'

/**
 * A session as one JSON document, to be kept or to be read by another bough: its whole line, and of the session what means
 * something elsewhere too. No native ids and no snapshots: what they name stays behind.
 */
export interface SessionDocument {
  readonly format: 'bough.session'
  readonly version: 1
  /** Milliseconds since 1970. */
  readonly exported: number
  readonly session: DocumentSession
  /** Oldest first. */
  readonly messages: readonly DocumentMessage[]
}

export type DocumentSession = Pick<
  Session,
  'title' | 'agent' | 'model' | 'directory' | 'labels' | 'created' | 'updated'
> & { readonly id: string }

export type DocumentMessage = Pick<Message, 'role' | 'status' | 'parts' | 'created' | 'usage'> & {
  readonly id: string
}

/** More is no conversation. */
const mostMessages = 1_000_000
/** Deeper arguments would be too much for whoever reads them. */
const deepest = 500

/** Reads a document; extra fields are ignored. The error says what is wrong and where, after the name of the file. */
export function parseSessionDocument(name: string, text: string): SessionDocument {
  const found = parseJson(name, text)
  const { format, version } = z.parse(kind, found)
  if (format !== 'bough.session')
    throw invalid(`${name} is JSON, but no session that bough exported. ${howToExport}`)
  if (typeof version === 'number' && version > 1)
    throw invalid(
      `${name} was exported by a newer bough (its format is version ${version}). Update this one.`,
    )
  const { success, data, error } = schema().safeParse(found)
  if (!success) throw complain(name, error.issues[0])
  return data
}

function parseJson(name: string, text: string): unknown {
  try {
    // Some editors begin a file with a mark that JSON does not know.
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    if (text.trim() === '') throw invalid(`${name} is empty. ${howToExport}`, cause)
    const why = messageOf(cause)
    const complaint = /^\s*\{/.test(text) ? 'is cut off or damaged' : 'is not JSON'
    throw invalid(`${name} ${complaint} (${why}). ${howToExport}`, cause)
  }
}

const kind = z.catch(z.object({ format: z.optional(z.unknown()), version: z.optional(z.unknown()) }), {})

// Made when it is needed, and only then: most commands read no document.
function schema() {
  // What the calendar can name; anything else could not be shown.
  const time = z.int().check(z.minimum(0), z.maximum(8_640_000_000_000_000))
  const amount = z.int().check(z.minimum(0))
  const name = z.string().check(z.minLength(1))
  const words = { text: z.string() }
  const part = z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), ...words, author: z.exactOptional(z.enum(['agent', 'schedule'])) }),
    z.object({ type: z.literal('reasoning'), ...words }),
    z.object({ type: z.literal('context'), ...words }),
    z.object({ type: z.literal('notice'), ...words }),
    z.object({
      type: z.literal('tool-call'),
      callID: z.string(),
      name: z.string(),
      args: z.custom<Json>(isJson),
    }),
    z.object({
      type: z.literal('tool-result'),
      callID: z.string(),
      name: z.string(),
      output: z.string(),
      exitCode: z.number(),
    }),
  ]) satisfies z.ZodMiniType<Part>
  const usage = z.object({
    inputTokens: amount,
    outputTokens: amount,
    cacheReadTokens: amount,
    cacheWriteTokens: amount,
    costUSD: z.number().check(z.minimum(0)),
  })
  const message = z.object({
    id: z.string(),
    role: z.enum(['user', 'assistant', 'tool', 'system', 'error', 'summary'] satisfies readonly Role[]),
    status: z.enum(['complete', 'interrupted', 'failed'] satisfies readonly MessageStatus[]),
    parts: z.array(part),
    created: time,
    usage: z.nullable(usage),
  })
  const session = z.object({
    id: z.string(),
    title: z.string().check(z.regex(/\S/)),
    agent: name,
    model: z.nullable(name),
    directory: z.string(),
    labels: z.array(name),
    created: time,
    updated: time,
  })
  return z.object({
    format: z.literal('bough.session'),
    version: z.literal(1),
    exported: time,
    session,
    messages: z.array(message).check(z.maxLength(mostMessages)),
  }) satisfies z.ZodMiniType<SessionDocument>
}

// What was parsed from JSON is JSON; only how deep it goes is to be seen. With a list and not by recursion, for that reason.
function isJson(value: unknown): boolean {
  if (value === undefined) return false
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return false
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return true
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code?: string
}

function complain(name: string, issue: Issue | undefined): BoughError {
  const [first, index, ...rest] = issue?.path ?? []
  if (first === 'messages' && issue?.code === 'too_big' && index === undefined)
    return invalid(
      `${name} has more than ${mostMessages.toLocaleString('en')} messages, too many for one session.`,
    )
  const isOfMessage = first === 'messages' && typeof index === 'number'
  const where = isOfMessage ? `message ${index + 1} of ${name}` : name
  const what = dotted(isOfMessage ? rest : (issue?.path ?? []))
  const complaint = what === '' ? 'is not what bough exports' : `has no "${what}" that makes sense`
  return invalid(`${capitalized(where)} ${complaint}. Correct it there, or export the session again.`)
}

const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i > 0 ? '.' : ''}${String(step)}`))
    .join('')

const capitalized = (text: string): string => text.replace(/^message /, 'Message ')

const howToExport = 'Import one that "bough export <session> --output FILE.json" wrote.'

const invalid = (message: string, cause?: unknown): BoughError =>
  new BoughError('document_invalid', message, { cause })
