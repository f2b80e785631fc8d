import { BoughError } from '../../tree/error.ts'
import type { PermissionID } from '../../tree/ids.ts'
import type { Permission } from '../../tree/permission.ts'
import { permissionWords } from '../../tree/permission-words.ts'
import { plainLine } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { Panel } from '../panels/panel.ts'
import type { Ui } from '../ui.ts'
import type { ApprovalPanel } from './approval-panel.ts'

/** What agents ask: the shown session's comes up by itself, one after the other; the rest waits in a list. */
export class Approvals {
  readonly #ui: Ui
  readonly #dealtWith = new Set<PermissionID>()
  #panel: ApprovalPanel | null = null
  /** The person chose the one that is shown; else it came up by itself. */
  #isWanted = false
  #isOpening = false

  constructor(ui: Ui) {
    this.#ui = ui
  }

  /** The one that is shown while keys go elsewhere. */
  get aside(): ApprovalPanel | null {
    return this.#panel?.isAside ? this.#panel : null
  }

  /** Opens what the shown session asks, and closes what was answered elsewhere. `over` is what lies over the tab. */
  look(over: readonly Panel[]): void {
    const { tab, permissions } = this.#ui
    const shown = this.#panel
    const isOver = !permissions.some(({ id }) => id === shown?.permission.id)
    // It comes up again where its session is shown.
    const isElsewhere = !this.#isWanted && shown?.permission.sessionID !== tab.session.id
    if (shown && (isOver || isElsewhere)) this.#ui.close(shown)
    else if (over.length === 0 && !this.#isOpening) {
      const isNext = ({ id, sessionID }: Permission): boolean =>
        sessionID === tab.session.id && !this.#dealtWith.has(id)
      const next = permissions.find(isNext)
      if (next) this.#ui.attempt(() => this.#comeUp(next, tab.session))
    }
  }

  /** A panel is gone. */
  closed(panel: Panel): void {
    if (panel === this.#panel) this.#panel = null
  }

  /** Brings the one that is shown to the front, or all that wait as a list. */
  openQueue(): void {
    const { aside } = this
    if (aside) aside.focus()
    else this.#ui.openSoon('approvals.open', () => this.#list())
  }

  async #list(): Promise<Panel> {
    const { bough } = this.#ui
    const { ListPanel } = await import('../panels/list-panel.ts')
    const sessions = new Map<Session['id'], Session>()
    for (const { sessionID } of await bough.permissions())
      if (!sessions.has(sessionID)) sessions.set(sessionID, await bough.session(sessionID))
    const ui = this.#ui
    const open = (permission: Permission): void =>
      ui.openSoon('approvals.open', () => this.#chosen(permission))
    return new ListPanel(ui, {
      title: 'What agents ask',
      empty: 'No agent asks for anything.',
      foot: 'Enter reads and answers it · Esc closes',
      get items() {
        return ui.permissions.map((permission) => ({
          key: permission.id,
          text: permissionWords(permission),
          detail: plainLine(sessions.get(permission.sessionID)?.title ?? ''),
          detailFrom: 60,
          does: () => open(permission),
        }))
      },
    })
  }

  // The person has chosen it in the list.
  async #chosen(permission: Permission): Promise<Panel> {
    const session = await this.#ui.bough.session(permission.sessionID)
    const panel = await this.#make(permission, session, true)
    if (!this.#ui.permissions.some(({ id }) => id === permission.id))
      throw new BoughError('permission_answered', 'That was answered elsewhere.')
    this.#take(panel, true)
    return panel
  }

  async #comeUp(permission: Permission, session: Session): Promise<void> {
    this.#isOpening = true
    try {
      const panel = await this.#make(permission, session, false)
      // Something else may be open meanwhile, another one among it, or another tab is shown: then it comes up after that.
      if (this.#panel || this.#ui.panel || this.#ui.tab.session.id !== session.id) return
      this.#take(panel, false)
      this.#ui.open(panel)
    } finally {
      this.#isOpening = false
    }
    // It may have been answered meanwhile.
    if (this.#panel) this.look([this.#panel])
  }

  #take(panel: ApprovalPanel, isWanted: boolean): void {
    if (this.#panel) this.#ui.close(this.#panel)
    this.#panel = panel
    this.#isWanted = isWanted
  }

  async #make(permission: Permission, session: Session, isWanted: boolean): Promise<ApprovalPanel> {
    const { ApprovalPanel } = await import('./approval-panel.ts')
    return new ApprovalPanel(this.#ui, {
      permission,
      session,
      attention: isWanted ? 'focused' : this.#ui.tab.composer.isEmpty ? 'fresh' : 'aside',
      dealtWith: () => {
        this.#dealtWith.add(permission.id)
      },
    })
  }
}
