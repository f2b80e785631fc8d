// Which paths somebody may mean who types a few letters of one.

/** Higher is better; null where the letters are not in it, in that order. Small and large letters are the same. */
function pathScore(path: string, typed: string): number | null {
  const text = path.toLowerCase()
  let total = 0
  for (const word of typed.toLowerCase().split(/\s+/)) {
    const score = wordScore(text, word)
    if (score === null) return null
    total += score
  }
  // Of two that fit as well, the one that has less besides.
  return total - path.length / 100
}

/** The best of them first, at most so many; without letters, those that lie highest. */
export function bestPaths(paths: readonly string[], typed: string, limit: number): readonly string[] {
  const words = typed.trim()
  if (words === '')
    return paths.toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1)).slice(0, Math.max(0, limit))
  return paths
    .flatMap((path) => {
      const score = pathScore(path, words)
      return score === null ? [] : [{ path, score }]
    })
    .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, Math.max(0, limit))
    .map(({ path }) => path)
}

const depthOf = (path: string): number => path.split('/').length

// All letters together count most, and most of all in the name of the file.
function wordScore(text: string, word: string): number | null {
  const name = text.lastIndexOf('/') + 1
  const inName = text.indexOf(word, name)
  if (inName !== -1) return inName === name ? 400 : isStart(text, inName) ? 300 : 200
  const anywhere = text.indexOf(word)
  if (anywhere !== -1) return isStart(text, anywhere) ? 150 : 100
  return scattered(text, word)
}

function scattered(text: string, word: string): number | null {
  let score = 0
  let at = -1
  for (const letter of word) {
    const next = text.indexOf(letter, at + 1)
    if (next === -1) return null
    if (next === at + 1) score += 3
    else if (isStart(text, next)) score += 2
    at = next + letter.length - 1
  }
  return Math.min(score, 90)
}

const isStart = (text: string, at: number): boolean => at === 0 || /[/._\- ]/.test(text[at - 1] ?? '')
