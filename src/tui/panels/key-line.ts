import type { ActionName } from '../keys/actions.ts'
import { filled, widthOf } from '../screen/frame.ts'
import type { Ui } from '../ui.ts'

/** An action, or several, with what that does in a word or two; those that matter most come first. */
export type KeyHint = readonly [ActionName | readonly ActionName[], string]

/** A line that says which keys do what. Those that do not fit are left out, from the end; the last one stays. */
export function keyLine(
  { keys, theme: { paint } }: Pick<Ui, 'keys' | 'theme'>,
  hints: readonly KeyHint[],
  columns: number,
): string {
  const words = hints.flatMap(([names, does]) => {
    const pressed = [names].flat().map((name) => keys.wordsFor(name))
    return pressed.every((key) => key === '') ? [] : [`${pressed.filter(Boolean).join(' ')} ${does}`]
  })
  while (words.length > 1 && widthOf(` ${words.join(' · ')}`) > columns) words.splice(-2, 1)
  return paint('dim', filled(` ${words.join(' · ')}`, columns))
}
