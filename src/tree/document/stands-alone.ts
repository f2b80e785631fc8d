/**
 * Whether a text, put into a Markdown document as it is, changes nothing after it and looks like nothing of ours: it leaves
 * no code fence open, holds no HTML, and has no line like those with which a message begins. In doubt it does not.
 */
export function standsAlone(text: string): boolean {
  let fence: Fence | null = null
  for (const line of text.split('\n')) {
    const found = fenceOf(line)
    if (fence) {
      if (!found || found.mark !== fence.mark || found.length < fence.length || found.more !== '') {
        // Code that stands further left than its fence may have left the list that the fence is in, and so ended it.
        if (line.trim() !== '' && !line.startsWith(fence.indent)) return false
        continue
      }
      if (found.indent !== fence.indent) return false
      fence = null
    } else if (found) {
      // Of backticks after backticks it is code within a line.
      if (found.mark === '`' && found.more.includes('`')) return false
      fence = found
    } else if (isDoubtful.test(line)) return false
  }
  return fence === null
}

interface Fence {
  readonly indent: string
  readonly mark: string
  readonly length: number
  readonly more: string
}

function fenceOf(line: string): Fence | null {
  const [, indent = '', run = '', more = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? []
  return run === '' ? null : { indent, mark: run.charAt(0), length: run.length, more: more.trim() }
}

// HTML; a fence in a quote or on the line of a list's mark; who spoke.
const isDoubtful = /<[a-z!/?]|^[\s>*+\-\d.)]+(`{3}|~{3})|^\s*\*\*\w+\*\* · /i
