/** How it stands with an agent on a machine. */
export interface AgentCheck {
  readonly installed: boolean
  /** It can be talked to, as far as can be told without trying. */
  readonly ready: boolean
  readonly detail: string
  /** The command or step that makes it ready. */
  readonly fix?: string
}
