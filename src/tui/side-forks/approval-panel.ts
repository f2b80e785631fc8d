import { hasCode } from '../../tree/error.ts'
import type { Permission } from '../../tree/permission.ts'
import { plainLine, visibleText } from '../../tree/plain-text.ts'
import type { Session } from '../../tree/session.ts'
import type { ActionName, Scope } from '../keys/actions.ts'
import type { Panel } from '../panels/panel.ts'
import { boxed } from '../screen/box.ts'
import { type Area, below, cut, type Frame, linesOnly, type Size, widthOf } from '../screen/frame.ts'
import { isText } from '../screen/key-chunks.ts'
import { everyCharacter } from '../screen/wrap.ts'
import type { Ui } from '../ui.ts'
import { type Answer, answersTo } from './approval-answers.ts'

// Something that an agent asks, below the conversation that says why. What was meant for something else must never answer:
//
//   fresh ── a key, sooner than it can have been read ──▶ aside; the key goes where it was meant
//   fresh ── a key, later ──▶ focused, and the key counts
//   aside (it opened while something stood in the composer) ── F8, or a click on it ──▶ focused
//   focused ── the key of an answer, ← or →, or a click on an answer ──▶ chosen ── Enter, or a click on that answer again ──▶ answered, closed
//   focused or chosen ── another letter ──▶ aside: somebody writes a word, and gets all of its letters
//   focused or chosen ── Esc ──▶ closed; it stays in the queue
//
// Enter alone answers nothing.

type Attention = 'fresh' | 'aside' | 'focused'

/** Milliseconds in which nobody can have read it. */
const unread = 500

export interface ApprovalOptions {
  readonly permission: Permission
  /** Who asks. */
  readonly session: Session
  readonly attention: Attention
  /** The person answers it, or leaves it for later: it does not come up by itself again. */
  dealtWith(): void
}

/** What would run, who asks, and the answers. */
export class ApprovalPanel implements Panel {
  readonly shape = 'docked'
  readonly scopes: readonly Scope[] = ['approval']
  readonly permission: Permission
  readonly #ui: Ui
  readonly #options: ApprovalOptions
  readonly #answers: readonly Answer[]
  readonly #opened: number
  #attention: Attention
  #chosen: ActionName | null = null
  #isAnswered = false
  #top = 0
  #wrapped: { readonly columns: number; readonly lines: readonly string[] } | null = null

  constructor(ui: Ui, options: ApprovalOptions) {
    this.#ui = ui
    this.#options = options
    this.permission = options.permission
    this.#answers = answersTo(options.permission)
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
    } else if (name === 'approval.up') this.#top -= 1
    else if (name === 'approval.down') this.#top += 1
    else if (this.#has(name) && (this.#chosen === null || this.#chosen === name)) this.#chosen = name
    else this.type(this.#letterOf(name))
    this.#ui.redraw()
  }

  type(data: string): void {
    // Why it is asked can be read meanwhile.
    const name = this.#ui.keys.find(['anywhere'], data)
    if (name?.startsWith('scroll.') || name === 'tools.toggle') this.#ui.perform(name)
    // Only what is typed or pasted is part of a word.
    if (!isText(data)) return
    const before = this.#chosen === null ? '' : this.#letterOf(this.#chosen)
    this.#chosen = null
    this.#attention = 'aside'
    for (const key of [...before, data]) this.#ui.tab.composer.type(key)
    this.#ui.redraw()
  }

  wheel(lines: number): void {
    this.#ui.tab.transcript.scroll(lines)
    this.#ui.redraw()
  }

  draw({ columns, rows }: Size): Frame {
    const { paint } = this.#ui.theme
    const { title, agent } = this.#options.session
    const room = columns - 4
    const buttons = this.#buttons(room)
    const asked = this.#asked(room, rows - 2 - buttons.lines.length)
    const box = boxed(below(linesOnly(...asked), buttons), columns, {
      ...{ paint, title: `An agent asks: ${plainLine(title)} · ${plainLine(agent)}` },
      ...{ tone: 'warning', foot: this.#foot() },
    })
    // A click beside the answers wants it in front.
    const anywhere = box.lines.map((_, row) => ({ row, from: 0, to: columns, does: () => this.focus() }))
    return { lines: box.lines, areas: [...box.areas, ...anywhere] }
  }

  // What would run, or so much of it as there is room for, and how much more there is.
  #asked(columns: number, rows: number): readonly string[] {
    const { paint } = this.#ui.theme
    const all = this.#lines(columns)
    const height = all.length <= rows ? all.length : Math.max(1, rows - 1)
    this.#top = Math.max(0, Math.min(this.#top, all.length - height))
    const shown = all.slice(this.#top, this.#top + height)
    const lines = shown.map((line) => `${paint('warning', '│')} ${line}`)
    if (height === all.length) return lines
    const more = moreWords(this.#top, all.length - this.#top - height)
    return [...lines, paint('warning', cut(more, columns))]
  }

  #lines(room: number): readonly string[] {
    const columns = room - 2
    if (this.#wrapped?.columns === columns) return this.#wrapped.lines
    // Every new line is marked, and begins one here, so that a command reads as it is.
    const { tool, detail, caution } = this.permission
    const asked = visibleText(`${tool}: ${detail}`).split(/(?<=␊)/)
    // A button that is cut off names here what it allows.
    const cutOff = this.#answers
      .map((answer) => this.#buttonOf(answer))
      .filter((text) => widthOf(text) > room)
    const lines = [...asked, ...(caution === null ? [] : [visibleText(caution)]), ...cutOff].flatMap((line) =>
      everyCharacter(line, columns),
    )
    this.#wrapped = { columns, lines }
    return lines
  }

  #buttons(columns: number): Frame {
    const { theme } = this.#ui
    const texts = this.#answers.map((answer) => ({
      action: answer.action,
      text: cut(this.#buttonOf(answer), columns),
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

  #has(name: ActionName): boolean {
    return this.#answers.some(({ action }) => action === name)
  }

  #buttonOf({ action, label }: Answer): string {
    return `[${this.#ui.keys.wordsFor(action)} ${label}]`
  }

  #foot(): string {
    const { keys } = this.#ui
    if (this.#attention === 'aside')
      return `${keys.wordsFor('approvals.open')} to answer · ${keys.wordsFor('approval.later')} later`
    const later = `${keys.wordsFor('approval.later')} later`
    const chosen = this.#answers.find(({ action }) => action === this.#chosen)
    if (chosen) return `Enter or a click on it: ${chosen.label} · ${later}`
    const letters = this.#answers.map(({ action }) => keys.wordsFor(action))
    return `${letters.slice(0, -1).join(', ')} or ${letters.at(-1)}, then Enter · ${later}`
  }

  // One that the person has keys of their own for may have none that can be typed.
  #letterOf(name: ActionName): string {
    return this.#ui.keys.keysOf(name).find((key) => key.length === 1) ?? ''
  }

  #choose(by: number): void {
    const all = this.#answers
    const at = all.findIndex(({ action }) => action === this.#chosen)
    const next = at === -1 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length
    this.#chosen = all[next]?.action ?? null
  }

  #confirm(): void {
    const chosen = this.#answers.find(({ action }) => action === this.#chosen)
    if (chosen) this.#answer(chosen)
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
    if (this.#attention === 'focused' && this.#chosen === action) this.#confirm()
    this.#attention = 'focused'
    this.#chosen = action
    this.#ui.redraw()
  }

  #answer({ allow, scope }: Answer): void {
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
