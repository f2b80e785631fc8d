import type { CanUseTool, HookCallback, SDKMessage, SyncHookJSONOutput } from '@anthropic-ai/claude-agent-sdk'
import { deniedOutput } from '../../tree/stand-in-output.ts'
import type { OpenOptions, PermissionAnswer } from '../driver.ts'
import { isOurs } from './own-tools.ts'
import { requestOf } from './permission-request.ts'

// bough decides about a call inside a PreToolUse callback, because a denial there is final: no rule, permission mode or
// other hook can turn it into an approval. Two things would still go wrong, so they are ruled out here:
//
// - A callback that fails or times out decides nothing, and Claude goes on without it. So this one never throws, and
//   its timeout is longer than any question's.
// - Of several hooks that change a call's input, the one that answers last wins. So an approval repeats the approved input,
//   and is given only when no other PreToolUse hook is running.

type Input = Readonly<Record<string, unknown>>
type Asker = Pick<OpenOptions, 'cwd' | 'tools' | 'askPermission'>

/** Longer than the longest `permissions.timeout`, which is a day. */
export const hookTimeoutSeconds = 2 * 86_400

/** Decides about the calls of one Claude process. */
export class CallDecisions {
  readonly #options: Asker
  /** Resolves when Claude has sent everything that it sent before this call. */
  readonly #roundTrip: () => Promise<unknown>
  readonly #runningHooks = new Set<string>()
  readonly #waiting = new Set<() => void>()
  readonly #approved = new Map<string, string>()

  constructor(options: Asker, roundTrip: () => Promise<unknown>) {
    this.#options = options
    this.#roundTrip = roundTrip
  }

  /** Hook events of the process, in the order in which it sends them. Our own callbacks have none. */
  heard(message: SDKMessage): void {
    if (message.type === 'result') this.#approved.clear()
    if (message.type !== 'system') return
    if (message.subtype === 'hook_started' && message.hook_event === 'PreToolUse')
      this.#runningHooks.add(message.hook_id)
    if (message.subtype === 'hook_response') this.#runningHooks.delete(message.hook_id)
    if (this.#runningHooks.size === 0) for (const wake of this.#waiting) wake()
  }

  readonly preToolUse: HookCallback = async (event, callID, { signal }) => {
    if (event.hook_event_name !== 'PreToolUse') return {}
    const input = inputOf(event.tool_input)
    const answer = await this.#decide(event.tool_name, input, callID ?? event.tool_use_id, signal)
    return answer.allow ? approval(input) : denial(answer.reason)
  }

  /** Asked only where another hook, or a rule, wants a question on top: then its input may have changed. */
  readonly canUseTool: CanUseTool = async (tool, input, { signal, toolUseID }) => {
    const answer: PermissionAnswer =
      this.#approved.get(toolUseID) === JSON.stringify(input)
        ? { allow: true }
        : await this.#decide(tool, input, toolUseID, signal)
    return answer.allow
      ? { behavior: 'allow', updatedInput: input }
      : { behavior: 'deny', message: deniedOutput(answer.reason) }
  }

  async #decide(tool: string, input: Input, callID: string, signal: AbortSignal): Promise<PermissionAnswer> {
    const { tools, cwd, askPermission } = this.#options
    try {
      const request = isOurs(tool, tools) ? null : requestOf(tool, input, cwd)
      const answer = request ? await askPermission({ ...request, callID }, signal) : { allow: true as const }
      if (!answer.allow) return answer
      await this.#othersEnded(signal)
      if (signal.aborted) return { allow: false, reason: 'the turn was interrupted' }
      this.#approved.set(callID, JSON.stringify(input))
      return answer
    } catch {
      return { allow: false, reason: 'bough could not ask' }
    }
  }

  async #othersEnded(signal: AbortSignal): Promise<void> {
    await this.#roundTrip()
    if (this.#runningHooks.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.add(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
    await promise
    this.#waiting.delete(resolve)
  }
}

const inputOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

const approval = (updatedInput: Record<string, unknown>): SyncHookJSONOutput => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput },
})

const denial = (reason: string): SyncHookJSONOutput => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: deniedOutput(reason),
  },
})
