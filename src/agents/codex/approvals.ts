import { isAbsolute, resolve } from 'node:path'
import type { Json } from '../../tree/message.ts'
import type { OpenOptions, PermissionRequest } from '../driver.ts'
import { typedCommand } from './command-line.ts'
import type { CommandParams, FileChange, Item, ServerRequest } from './protocol.ts'
import { toolUseOf } from './tool-items.ts'

export interface Asker extends Pick<OpenOptions, 'cwd' | 'askPermission'> {
  readonly sandbox: CodexSandbox
  /** Whether a command would run outside Codex's own sandbox once it is allowed. */
  leavesSandbox(params: CommandParams): Promise<boolean>
}

/** The answer to a command that wants to leave Codex's own sandbox: a denial, or a question to the person. */
export type CodexSandbox = 'keep' | 'ask'

/** Answers what Codex asks before it does something. Never for longer than this once: what lasts is bough's to decide. */
export class Approvals {
  readonly #options: Asker
  /** What is being done, by item: a question does not tell all of it. */
  readonly #items = new Map<string, { readonly threadID: string; readonly item: Item }>()
  readonly #denials = new Map<string, string>()
  /** Commands that were allowed. Codex asks about one again to repeat it without its sandbox. */
  readonly #allowed = new Set<string>()

  constructor(options: Asker) {
    this.#options = options
  }

  began(item: Item, threadID: string): void {
    if (toolUseOf(item) !== null) this.#items.set(item.id, { item, threadID })
  }

  ended(item: Item): void {
    this.#items.delete(item.id)
  }

  /** No item goes beyond its turn; of one that was interrupted nobody hears that it ended. */
  turnEnded(): void {
    this.#items.clear()
    this.#allowed.clear()
  }

  /** Why an item was denied; null when it was not. */
  denialOf(itemID: string): string | null {
    return this.#denials.get(itemID) ?? null
  }

  async answer(request: ServerRequest, signal: AbortSignal): Promise<Json> {
    const subject = await this.#subjectOf(request)
    const isAllowed = subject !== null && (await this.#isAllowed(subject, signal))
    return isAllowed ? acceptance(request) : refusal(request)
  }

  async #subjectOf(request: ServerRequest): Promise<Subject | null> {
    switch (request.method) {
      case 'item/commandExecution/requestApproval':
        return { itemID: request.params.itemId, requests: [await this.#requestForCommand(request.params)] }
      case 'item/fileChange/requestApproval': {
        const item = this.#items.get(request.params.itemId)?.item
        if (item?.type !== 'fileChange' || item.changes.length === 0) return null
        return {
          itemID: item.id,
          requests: item.changes.flatMap((change) => requestsForChange(change, this.#options.cwd)),
        }
      }
      case 'mcpServer/elicitation/request': {
        if (request.params._meta?.codex_approval_kind !== 'mcp_tool_call') return null
        const item = this.#callOf(request.params)
        const use = item && toolUseOf(item)
        if (!item || !use) return null
        const detail = `${use.name} ${JSON.stringify(use.args)}`
        return { itemID: item.id, requests: [{ tool: use.name, action: 'other', detail }] }
      }
      default:
        return null
    }
  }

  async #requestForCommand(params: CommandParams): Promise<PermissionRequest | { readonly denied: string }> {
    const request = requestForCommand(params, this.#options.cwd)
    if (request.action !== 'run') return request
    const isRepeated = this.#allowed.has(params.itemId) && !params.approvalId
    if (!isRepeated && !(await this.#options.leavesSandbox(params))) return request
    if (this.#options.sandbox === 'keep') return { denied: keptInSandbox }
    const { command = request.detail } = request
    return { ...request, detail: `outside Codex's sandbox: ${request.detail}`, command, eachTime: true }
  }

  /** The call that an MCP server is about to be sent: the question names the server only. Null where it may be several. */
  #callOf({ serverName, threadId }: { readonly serverName: string; readonly threadId: string }): Item | null {
    const calls = [...this.#items.values()].filter(
      ({ item, threadID }) =>
        threadID === threadId && item.type === 'mcpToolCall' && item.server === serverName,
    )
    return calls.length === 1 ? (calls[0]?.item ?? null) : null
  }

  async #isAllowed({ itemID, requests }: Subject, signal: AbortSignal): Promise<boolean> {
    for (const request of requests) {
      const answer =
        'denied' in request
          ? { allow: false as const, reason: request.denied }
          : await this.#options.askPermission({ ...request, callID: itemID }, signal)
      if (answer.allow) continue
      this.#denials.set(itemID, answer.reason)
      return false
    }
    this.#allowed.add(itemID)
    return true
  }
}

interface Subject {
  readonly itemID: string
  readonly requests: readonly (PermissionRequest | { readonly denied: string })[]
}

const keptInSandbox =
  "it wants to run outside Codex's sandbox. To be asked about such commands: bough config codex.sandbox ask"

function requestForCommand(params: CommandParams, home: string): PermissionRequest {
  const { kind, command, cwd, reason, networkApprovalContext } = params
  if (networkApprovalContext) return { tool: 'network', action: 'other', detail: networkApprovalContext.host }
  // An approval covers one call only where Codex does not name the command exactly.
  if (kind === 'writeStdin')
    return { tool: 'type into a command', action: 'other', detail: command ?? reason ?? '', eachTime: true }
  if (!command)
    return {
      ...{ tool: 'run', action: 'run', eachTime: true, command: '' },
      detail: `a command that Codex does not name: ${reason ?? 'no reason given'}`,
    }
  const line = typedCommand(command)
  const isHere = !cwd || resolve(cwd) === resolve(home)
  return {
    tool: 'run',
    action: 'run',
    ...(isHere ? { detail: line } : { detail: `in ${cwd}: ${line}`, command: line }),
  }
}

function requestsForChange({ path, kind }: FileChange, cwd: string): readonly PermissionRequest[] {
  const write = (file: string, linkItself = false): PermissionRequest => {
    // Not normalised: behind a link, a step upwards leads elsewhere than it says.
    const full = isAbsolute(file) ? file : `${cwd}/${file}`
    return { tool: 'write', action: 'write', detail: full, path: full, ...(linkItself && { linkItself }) }
  }
  if (kind.move_path) return [write(path, true), write(kind.move_path)]
  return [write(path, kind.type === 'delete')]
}

const acceptance = ({ method }: ServerRequest): Json =>
  method === 'mcpServer/elicitation/request'
    ? { action: 'accept', content: {}, _meta: null }
    : { decision: 'accept' }

/** A no, in the shape that each question wants. */
export function refusal({ method }: ServerRequest): Json {
  switch (method) {
    case 'item/commandExecution/requestApproval':
    case 'item/fileChange/requestApproval':
      return { decision: 'decline' }
    case 'mcpServer/elicitation/request':
      return { action: 'decline', content: null, _meta: null }
    case 'item/permissions/requestApproval':
      return { permissions: {}, scope: 'turn' }
    case 'item/tool/requestUserInput':
      return { answers: {} }
    case 'item/tool/call':
      return { contentItems: [{ type: 'inputText', text: 'There is no such tool.' }], success: false }
  }
}
