import type { Tone } from '../screen/theme.ts'

/** Whether a text is a diff or a patch. */
export const isDiff = (text: string): boolean =>
  /^(?:diff --git |--- |@@ |\*\*\* (?:Begin Patch|Update File|Add File|Delete File))/m.test(text) &&
  /^[-+]/m.test(text)

/** How the lines of a diff look; `other` is for those that did not change. */
export const diffTones = (lines: readonly string[], other: Tone = 'dim'): readonly Tone[] =>
  lines.map((line, i) => {
    if (/^(?:diff --git|\*\*\*) /.test(line) || isHead(lines, i) || isHead(lines, i - 1)) return 'strong'
    if (line.startsWith('index ')) return 'dim'
    if (line.startsWith('+')) return 'added'
    if (line.startsWith('-')) return 'removed'
    return line.startsWith('@@') ? 'hunk' : other
  })

// The two lines that name a file. One that was removed, and began with two minuses, differs only in what follows it.
const isHead = (lines: readonly string[], i: number): boolean =>
  ['--- ', '+++ ', '@@'].every((start, by) => lines[i + by]?.startsWith(start))

/** Lines around a change that are shown, too. */
const around = 2

/** What becomes of a text, as lines of a diff: what both begin and end with is left out but for a few lines. */
export function editLines(before: string, after: string): readonly string[] {
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
