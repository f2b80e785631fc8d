import type { Paint, Tone } from '../screen/theme.ts'

/** Whether a text is a diff or a patch. */
export const isDiff = (text: string): boolean =>
  /^(?:diff --git |--- |@@ |\*\*\* (?:Begin Patch|Update File|Add File|Delete File))/m.test(text) &&
  /^[-+]/m.test(text)

/** A line of a diff as it looks; of one that is none, in its own tone. */
export function paintDiffLine(line: string, paint: Paint, other: Tone = 'dim'): string {
  if (/^(?:\+\+\+|---) |^(?:diff --git|index|\*\*\*) /.test(line)) return paint('dim', line)
  if (line.startsWith('+')) return paint('added', line)
  if (line.startsWith('-')) return paint('removed', line)
  return paint(line.startsWith('@@') ? 'hunk' : other, line)
}

/** Lines around a change that are shown, too. */
const around = 2

/** What becomes of a text, as lines of a diff: what both begin and end with is left out but for a few lines. */
export function changeLines(before: string, after: string): readonly string[] {
  const [old, young] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, young.length)
  let first = 0
  while (first < most && old[first] === young[first]) first += 1
  let last = 0
  while (last < most - first && old.at(-1 - last) === young.at(-1 - last)) last += 1
  return [
    ...old.slice(Math.max(0, first - around), first).map((line) => ` ${line}`),
    ...old.slice(first, old.length - last).map((line) => `-${line}`),
    ...young.slice(first, young.length - last).map((line) => `+${line}`),
    ...old.slice(old.length - last, old.length - last + around).map((line) => ` ${line}`),
  ]
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
