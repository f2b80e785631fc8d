import type { Bough } from '../bough.ts'
import { plainLine } from '../tree/plain-text.ts'
import type { Session } from '../tree/session.ts'
import { onOneLine } from '../tree/text.ts'
import type { Output } from './output.ts'

/** Says what a prompt has to wait for, when a turn runs in its session already. */
export async function tellWhatRuns(err: Output, bough: Bough, { id, state }: Session): Promise<void> {
  if (state !== 'running') return
  const turn = await bough.follow(id)
  if (turn) err.line(`bough: a turn runs in this session${wordsOf(turn.prompt.text)}. Yours comes after it.`)
}

// One of bough's own notes alone has no words of a person.
const wordsOf = (text: string): string => (text.trim() === '' ? '' : `: “${plainLine(onOneLine(text, 60))}”`)
