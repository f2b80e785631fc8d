import type { AgentStatus } from '../../bough.ts'
import type { FilesChoice } from '../../tree/files-mode.ts'
import type { ActionName } from '../keys/actions.ts'
import type { FileChoice } from './file-choices.ts'
import { TextField } from './text-field.ts'
import type { Wish } from './wish.ts'

/** The fields, in their order. */
const fields = ['agent', 'model', 'title', 'files'] as const

export type Field = (typeof fields)[number]

/** What the person fills in: whom the fork is for, how it is called, what it does about files. */
export class ForkForm {
  readonly model = new TextField()
  readonly title = new TextField()
  readonly #changed: () => void
  #agents: readonly AgentStatus[] = []
  #choices: readonly FileChoice[] = []
  #agent: string
  #files: FilesChoice | null = null
  #focus: Field = 'files'

  /** `changed` is told when what the fork would be is another. */
  constructor(agent: string, changed: () => void) {
    this.#agent = agent
    this.#changed = changed
  }

  get wish(): Wish {
    return { agent: this.#agent, model: this.model.text, title: this.title.text, files: this.#files }
  }

  /** Where keys go. */
  get focus(): Field {
    return this.#focus
  }

  set focus(field: Field) {
    this.#focus = field
  }

  get agents(): readonly AgentStatus[] {
    return this.#agents
  }

  set agents(agents: readonly AgentStatus[]) {
    this.#agents = agents
  }

  /** What can be had of files. */
  set choices(choices: readonly FileChoice[]) {
    this.#choices = choices
  }

  /** Unless the person has chosen. */
  preselect(mode: FilesChoice | null): void {
    this.#files ??= mode
  }

  act(name: ActionName): void {
    if (name === 'form.next') this.#go(1)
    else if (name === 'form.previous') this.#go(-1)
    else if (name === 'choices.up') this.#step(-1)
    else if (name === 'choices.down') this.#step(1)
    else if (name === 'form.left') this.#turn(-1)
    else if (name === 'form.right') this.#turn(1)
  }

  type(data: string): void {
    const { model } = this.wish
    if (this.#focus === 'title') this.title.type(data)
    else if (this.#focus === 'model') this.model.type(data)
    else if (this.#focus === 'files') this.choose(this.#choices[Number(data) - 1]?.mode ?? null)
    if (this.wish.model !== model) this.#changed()
  }

  turnAgent(by: number): void {
    const names = this.#agents.map(({ name }) => name)
    const next = names[(names.indexOf(this.#agent) + by + names.length) % names.length]
    this.#focus = 'agent'
    if (next === undefined || next === this.#agent) return
    this.#agent = next
    this.#changed()
  }

  /** What cannot be had is not chosen. */
  choose(mode: FilesChoice | null): void {
    const choice = this.#choices.find((each) => each.mode === mode)
    if (!choice || choice.obstacle !== null) return
    this.#focus = 'files'
    if (choice.mode === this.#files) return
    this.#files = choice.mode
    this.#changed()
  }

  #go(by: number): void {
    const at = fields.indexOf(this.#focus)
    this.#focus = fields[(at + by + fields.length) % fields.length] ?? 'files'
  }

  // Up and down go through the choices first, and then to the next field.
  #step(by: number): void {
    if (this.#focus !== 'files' || !this.#turnFiles(by)) this.#go(by)
  }

  #turn(by: number): void {
    const way = by < 0 ? 'left' : 'right'
    if (this.#focus === 'agent') this.turnAgent(by)
    else if (this.#focus === 'files') this.#turnFiles(by)
    else if (this.#focus === 'model') this.model.move(way)
    else this.title.move(way)
  }

  // False at the end of those that can be had.
  #turnFiles(by: number): boolean {
    const able = this.#choices.filter(({ obstacle }) => obstacle === null)
    const next = able[able.findIndex(({ mode }) => mode === this.#files) + by]
    if (next) this.choose(next.mode)
    return next !== undefined
  }
}
