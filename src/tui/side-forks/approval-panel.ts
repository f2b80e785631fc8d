import { hasCode } from '../../tree/error.ts'
import type { Permission } from '../../tree/permission.ts'
import { plainLine, visibleText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import type { Panel } from '../panels/panel.ts'
import { boxed } from '../screen/box.ts'
import { type Area, cut, type Frame, type Size, widthOf } from '../screen/frame.ts'
import { everyCharacter } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'

// Something that an agent asks, over what the person does just now. A key that was meant for something else must never answer:
//
//   fresh ── a key, sooner than it can have been read ──▶ aside; the key goes where it was meant
//   fresh ── a key, later ──▶ focused, and the key counts
//   aside (it opened while somebody typed) ── F8, or a click on it ──▶ focused
//   focused ── a s d ← → ──▶ chosen ── Enter ──▶ answered, closed
//   focused or chosen ── another letter ──▶ aside: somebody writes a word, and gets all of its letters
//   focused or chosen ── Esc ──▶ closed; it stays in the queue
//
// Enter alone answers nothing.

type Attention = 'fresh' | 'aside' | 'focused'

const widest = 84
/** Milliseconds in which nobody can have read it. */
const unread = 500

const answers: readonly { readonly action: ActionName; readonly label: string }[] = [
  { action: 'approval.allow', label: 'Allow once' },
  { action: 'approval.allowSession', label: 'For this session' },
  { action: 'approval.deny', label: 'Deny' },
]

export interface ApprovalOptions {
  readonly permission: Permission
  /** Who asks. */
  readonly session: Session
  readonly attention: Attention
  /** The person answers it, or leaves it for later: it does not come up by itself again. */
  dealtWith(): void
}

/** What would run, who asks, and the three answers. */
export class ApprovalPanel implements Panel {
  readonly shape = 'box'
  readonly scopes: readonly Scope[] = ['approval']
  readonly permission: Permission
  readonly #ui: Ui
  readonly #options: ApprovalOptions
  readonly #opened: number
  #attention: Attention
  #chosen: ActionName | null = null
  #isAnswered = false
  #top = 0
  #rows = 1
  #wrapped: { readonly columns: number; readonly lines: readonly string[] } | null = null

  constructor(ui: Ui, options: ApprovalOptions) {
    this.#ui = ui
    this.#options = options
    this.permission = options.permission
    this.#attention = options.attention
    this.#opened = ui.now()
  }

  get isAside(): boolean {
    return this.#attention === 'aside'
  }

  keyComes(): void {
    if (this.#attention === 'fresh') this.#attention = this.#isRead ? 'focused' : 'aside'
  }

  focus(): void {
    this.#attention = 'focused'
    this.#ui.redraw()
  }

  act(name: ActionName): void {
    if (name === 'approval.confirm') this.#confirm()
    else if (name === 'approval.left') this.#choose(-1)
    else if (name === 'approval.right') this.#choose(1)
    else if (name === 'approval.later') {
      this.#options.dealtWith()
      this.#ui.close(this)
    } else if (name === 'approval.up') this.wheel(-1)
    else if (name === 'approval.down') this.wheel(1)
    else if (name === 'approval.pageUp') this.wheel(-this.#rows)
    else if (name === 'approval.pageDown') this.wheel(this.#rows)
    else if (this.#chosen === null || this.#chosen === name) this.#chosen = name
    else this.type(this.#letterOf(name))
    this.#ui.redraw()
  }

  type(data: string): void {
    // Only a letter is part of a word.
    if (/^\p{Cc}/u.test(data)) return
    const before = this.#chosen === null ? '' : this.#letterOf(this.#chosen)
    this.#chosen = null
    this.#attention = 'aside'
    for (const key of [...before, data]) this.#ui.tab.composer.type(key)
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.#top = Math.max(0, this.#top + lines)
    this.#ui.redraw()
  }

  draw({ columns, rows }: Size): Frame {
    const { paint } = this.#ui.theme
    const { title, agent } = this.#options.session
    const width = Math.min(columns, widest)
    const room = width - 4
    const who = cut(`${plainLine(title)} · ${plainLine(agent)} asks`, room)
    const buttons = this.#buttons(room)
    const all = this.#lines(room - 2)
    this.#rows = Math.max(1, rows - 5 - buttons.lines.length)
    this.#top = Math.max(0, Math.min(this.#top, all.length - this.#rows))
    const shown = all.slice(this.#top, this.#top + this.#rows)
    const rest = all.length - this.#top - shown.length
    const more = rest > 0 || this.#top > 0 ? moreWords(this.#top, rest) : ''
    const lines = [
      paint('strong', who),
      ...shown.map((line) => `${paint('warning', '│')} ${line}`),
      paint('warning', cut(more, room)),
      ...buttons.lines,
    ]
    const areas = buttons.areas.map((area) => ({ ...area, row: area.row + shown.length + 2 }))
    const box = boxed({ lines, areas }, width, {
      ...{ paint, title: 'An agent asks', tone: 'warning', foot: this.#foot() },
    })
    // A click beside the answers wants it in front.
    const anywhere = box.lines.map((_, row) => ({ row, from: 0, to: width, does: () => this.focus() }))
    return { lines: box.lines, areas: [...box.areas, ...anywhere] }
  }

  #lines(columns: number): readonly string[] {
    if (this.#wrapped?.columns === columns) return this.#wrapped.lines
    // Every new line is marked, and begins one here, so that a command reads as it is.
    const { tool, detail } = this.permission
    const lines = visibleText(`${tool}: ${detail}`)
      .split(/(?<=␊)/)
      .flatMap((line) => everyCharacter(line, columns))
    this.#wrapped = { columns, lines }
    return lines
  }

  #buttons(columns: number): Frame {
    const { keys, theme } = this.#ui
    const texts = answers.map(({ action, label }) => ({
      action,
      text: `[${keys.wordsFor(action)} ${label}]`,
    }))
    const lines: string[] = []
    const areas: Area[] = []
    let line = ''
    for (const { action, text } of texts) {
      if (line !== '' && widthOf(line) + 1 + widthOf(text) > columns) {
        lines.push(line)
        line = ''
      }
      const from = line === '' ? 0 : widthOf(line) + 1
      areas.push({ row: lines.length, from, to: from + widthOf(text), does: () => this.#click(action) })
      const tone = this.#chosen === action ? 'selected' : 'strong'
      line += `${line === '' ? '' : ' '}${theme.paint(tone, text)}`
    }
    return { lines: [...lines, line], areas }
  }

  #foot(): string {
    const { keys } = this.#ui
    if (this.#attention === 'aside')
      return `${keys.wordsFor('approvals.open')} to answer · ${keys.wordsFor('approval.later')} later`
    const later = `${keys.wordsFor('approval.later')} later`
    const chosen = answers.find(({ action }) => action === this.#chosen)
    return chosen ? `Enter: ${chosen.label} · ${later}` : `a, s or d, then Enter · ${later}`
  }

  // One that the person has keys of their own for may have none that can be typed.
  #letterOf(name: ActionName): string {
    return this.#ui.keys.keysOf(name).find((key) => key.length === 1) ?? ''
  }

  #choose(by: number): void {
    const at = answers.findIndex(({ action }) => action === this.#chosen)
    const next = at === -1 ? (by > 0 ? 0 : answers.length - 1) : (at + by + answers.length) % answers.length
    this.#chosen = answers[next]?.action ?? null
  }

  #confirm(): void {
    if (this.#chosen === 'approval.allow') this.#answer(true, 'call')
    else if (this.#chosen === 'approval.allowSession') this.#answer(true, 'session')
    else if (this.#chosen === 'approval.deny') this.#answer(false, 'call')
  }

  get #isRead(): boolean {
    return this.#ui.now() - this.#opened >= unread
  }

  // A click that was meant for what it covers is none.
  #click(action: ActionName): void {
    if (!this.#isRead && this.#attention !== 'focused') {
      this.focus()
      return
    }
    this.#chosen = action
    this.#confirm()
  }

  #answer(allow: boolean, scope: Permission['scope']): void {
    if (this.#isAnswered) return
    this.#isAnswered = true
    this.#options.dealtWith()
    const { id } = this.permission
    this.#ui.attempt(async () => {
      try {
        await this.#ui.bough.answer(id, { allow, scope })
      } catch (error) {
        if (!hasCode(error, 'permission_answered')) {
          this.#isAnswered = false
          throw error
        }
        this.#ui.tell('That was answered elsewhere.')
      }
      this.#ui.close(this)
    })
  }
}

function moreWords(above: number, below: number): string {
  if (below === 0) return `↑ ${above} more above`
  return above === 0 ? `↓ ${below} more below: read them, too` : `↑ ${above} above · ↓ ${below} below`
}
