/** How it stands with an agent on a machine. */
export interface AgentCheck {
  readonly installed: boolean
  /** It can be talked to, as far as can be told without trying. */
  readonly ready: boolean
  /** That it is not ready is beyond doubt, since it says so itself; otherwise it may know a way in that we do not see. */
  readonly certain?: boolean
  readonly detail: string
  /** The command or step that makes it ready. */
  readonly fix?: string
}
