import type { Part } from '../../tree/message.ts'
import type { NativeMessage } from '../../tree/native.ts'
import { messageParts } from '../../tree/prompts.ts'
import { noUsage, type Usage } from '../../tree/usage.ts'
import { outcomeOf, usageAfter } from './entries.ts'
import { isInterruption, personsWords } from './persons-words.ts'
import type { Block, Content, Entry } from './session-entries.ts'

/** The messages that live turns would have made of these entries, and the model that answered last. */
export function readHistory(
  entries: readonly Entry[],
  created: number,
): {
  readonly messages: readonly NativeMessage[]
  readonly model: string | null
} {
  const history = new History(created)
  for (const entry of entries) history.take(entry)
  return { messages: history.messages(), model: history.model }
}

/** A message that later entries may still add to. */
interface Draft {
  readonly role: NativeMessage['role']
  readonly parts: Part[]
  status: NativeMessage['status']
  created: number
  nativeID: string
  usage: Usage | null
}

class History {
  model: string | null = null
  readonly #drafts: Draft[] = []
  /** The last answer of the model. Claude writes an entry for each of its blocks, all with its id. */
  #answer: { readonly id: string | undefined; readonly draft: Draft } | null = null
  /** Names of tools by call: their results do not say. */
  readonly #tools = new Map<string, string>()
  #now: number

  constructor(created: number) {
    this.#now = created
  }

  messages(): readonly NativeMessage[] {
    return this.#drafts.filter(({ parts }) => parts.length > 0)
  }

  take(entry: Entry): void {
    const time = Date.parse(entry.timestamp ?? '')
    // One without a time was written after the one before it.
    if (!Number.isNaN(time)) this.#now = time
    switch (entry.type) {
      case 'assistant':
        if (entry.isApiErrorMessage) this.#takeError(entry)
        else this.#takeAnswer(entry)
        return
      case 'user':
        this.#takeUser(entry)
        return
      case 'system':
        if (entry.subtype === 'local_command' && entry.content !== undefined)
          this.#takeWords(entry.uuid, entry.content)
    }
  }

  #takeAnswer({ uuid, message, isAbortedMidStream }: Entry): void {
    // Claude says something in the model's place, so that prompts and answers alternate.
    if (!message || message.model === '<synthetic>') {
      this.#skipAnswer(uuid)
      return
    }
    const { id } = message
    const isSame = id !== undefined && id === this.#answer?.id
    const draft = isSame && this.#answer ? this.#answer.draft : this.#begin('assistant', uuid)
    this.#answer = { id, draft }
    this.model = message.model ?? this.model
    draft.nativeID = uuid
    draft.created = this.#now
    draft.usage = usageAfter(draft.usage ?? noUsage, message.usage ?? {})
    if (isAbortedMidStream) draft.status = 'interrupted'
    for (const block of blocksIn(message.content)) this.#takeBlock(draft.parts, block)
  }

  // A turn that has nothing else, of a command say, ends with it.
  #skipAnswer(uuid: string): void {
    const last = this.#drafts.at(-1)
    if (last?.role === 'user') last.nativeID = uuid
  }

  #takeBlock(parts: Part[], { type, text, thinking, id, name, input }: Block): void {
    if (type === 'text') addText(parts, 'text', text)
    if (type === 'thinking') addText(parts, 'reasoning', thinking)
    if (type !== 'tool_use' || id === undefined || name === undefined) return
    this.#tools.set(id, name)
    parts.push({ type: 'tool-call', callID: id, name, args: input ?? null })
  }

  #takeError({ uuid, message }: Entry): void {
    const draft = this.#begin('error', uuid)
    addText(draft.parts, 'text', wholeText(message?.content ?? ''))
    draft.status = 'failed'
  }

  #takeUser({ uuid, message, isCompactSummary }: Entry): void {
    if (!message) return
    const results = blocksIn(message.content).filter(({ type }) => type === 'tool_result')
    if (results.length > 0) this.#takeResults(uuid, results)
    else if (isCompactSummary) addText(this.#begin('summary', uuid).parts, 'text', wholeText(message.content))
    else this.#takeWords(uuid, message.content)
  }

  #takeResults(uuid: string, results: readonly Block[]): void {
    const last = this.#drafts.at(-1)
    const draft = last?.role === 'tool' ? last : this.#begin('tool', uuid)
    draft.nativeID = uuid
    draft.created = this.#now
    for (const { tool_use_id: callID = '', content, is_error } of results) {
      const name = this.#tools.get(callID) ?? 'tool'
      draft.parts.push({ type: 'tool-result', callID, name, ...outcomeOf({ content, is_error }) })
    }
  }

  #takeWords(uuid: string, content: Content): void {
    const words = personsWords(content)
    if (words === null) return
    if (!isInterruption(words)) {
      this.#begin('user', uuid).parts.push(...messageParts(words))
      return
    }
    // An answer that it cut off is not whole. What tools had given back is.
    const last = this.#drafts.at(-1)
    if (last?.role === 'assistant') last.status = 'interrupted'
    const draft = this.#begin('system', uuid)
    draft.parts.push({ type: 'notice', text: 'Interrupted.' })
    draft.status = 'interrupted'
  }

  #begin(role: Draft['role'], nativeID: string): Draft {
    const draft: Draft = { role, parts: [], status: 'complete', created: this.#now, nativeID, usage: null }
    this.#drafts.push(draft)
    return draft
  }
}

// Pieces of the same kind are one part, as where they stream.
function addText(parts: Part[], type: 'text' | 'reasoning', text = ''): void {
  if (text === '') return
  const last = parts.at(-1)
  if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + text }
  else parts.push({ type, text })
}

const blocksIn = (content: Content): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const wholeText = (content: Content): string =>
  blocksIn(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n')
