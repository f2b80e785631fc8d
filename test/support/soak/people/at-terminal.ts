import { setTimeout as pause } from 'node:timers/promises'
import { anyOf } from '../../comeback-acts.ts'
import type { Tmux } from '../../tmux.ts'
import type { KeptTerminal } from '../kept-terminal.ts'
import { anyPrompt } from '../sayings.ts'
import type { Act, Person, Surroundings } from './person.ts'

/** Somebody at the terminal UI: they look at what is on the screen before they type, as far as people do. */
export class AtTerminal implements Person {
  readonly #around: Surroundings
  readonly #kept: KeptTerminal

  constructor(kept: KeptTerminal, around: Surroundings) {
    this.#kept = kept
    this.#around = around
  }

  get name(): string {
    return `at the ${this.#kept.name}`
  }

  readonly acts: readonly Act[] = [
    this.#act(10, 'write', (terminal) => this.#write(terminal)),
    this.#act(2, '/fork', (terminal) => terminal.type('/fork')),
    this.#act(2, '/fork with a topic', (terminal) => terminal.type(`/fork ${this.#around.said.newMark()}`)),
    this.#act(1, '/save', (terminal) => terminal.press('M-s')),
    this.#act(1, '/report', (terminal) => terminal.press('M-r')),
    this.#act(1, '/exit', (terminal) => terminal.press('M-x')),
    this.#act(1, 'interrupt', (terminal) => terminal.press('Escape')),
    this.#act(3, 'look back and fork', (terminal) => this.#forkBack(terminal)),
    this.#act(2, 'fork dialog', (terminal) => this.#keys(terminal, 'F5', 'Enter')),
    this.#act(2, 'tree', (terminal) => this.#keys(terminal, 'C-t', 'Down', 'Down', 'Enter')),
    this.#act(1, 'compare, make main', (terminal) =>
      this.#keys(terminal, 'C-t', 'Down', 'c', 'Right', 'p', 'Enter'),
    ),
    this.#act(1, 'runs', (terminal) => this.#keys(terminal, 'F6', 'Enter')),
    this.#act(1, 'reply', (terminal) => this.#keys(terminal, 'F4', 'Enter', 'h', 'Enter')),
    this.#act(1, 'buttons', (terminal) => this.#keys(terminal, 'F9', 'Enter')),
    this.#act(1, 'updates', (terminal) => this.#keys(terminal, 'F7')),
    this.#act(2, 'approvals', (terminal) => this.#keys(terminal, 'F8', 'a')),
    this.#act(3, 'close a tab', (terminal) => terminal.press('M-w')),
    this.#act(2, 'another tab', (terminal) => terminal.press('M-.')),
    this.#act(1, 'resize', (terminal) => terminal.resize(40 + this.#upTo(100), 10 + this.#upTo(40))),
    this.#act(2, 'scroll', (terminal) => this.#keys(terminal, 'PPage', 'PPage', 'C-Home', 'C-End')),
  ]

  #act(often: number, name: string, work: (terminal: Tmux) => Promise<void> | void): Act {
    return { often, name, run: () => this.#at(work) }
  }

  /** It may be killed while they type: then there is nothing to type into. */
  async #at(work: (terminal: Tmux) => Promise<void> | void): Promise<void> {
    await this.#kept.look()
    const { terminal } = this.#kept
    if (!terminal) return
    try {
      await this.#toComposer(terminal)
      await work(terminal)
    } catch (error) {
      if (this.#kept.terminal === terminal) throw error
    }
  }

  /** Closes what is open over the composer, and answers what somebody is asked. */
  async #toComposer(terminal: Tmux): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      const screen = terminal.lines().join('\n')
      if (/Esc (looks back|interrupts)/.test(screen)) return
      terminal.press(/Allow/.test(screen) && this.#around.random() < 0.5 ? 'a' : 'Escape')
      await pause(150)
    }
  }

  #write(terminal: Tmux): void {
    terminal.paste(anyPrompt(this.#around.random, this.#around.said))
    terminal.press('Enter')
  }

  async #forkBack(terminal: Tmux): Promise<void> {
    const { random } = this.#around
    const back = Array.from({ length: 1 + this.#upTo(4) }, () => 'Up')
    await this.#keys(terminal, 'Escape', ...back, anyOf(random, ['Enter', 'Enter', 'f', 'q']))
    if (random() < 0.7) await this.#keys(terminal, 'Enter')
  }

  /** One by one: a person is not quicker either. */
  async #keys(terminal: Tmux, ...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      terminal.press(key)
      await pause(80)
    }
  }

  #upTo(most: number): number {
    return Math.floor(this.#around.random() * most)
  }
}
