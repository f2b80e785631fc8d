/** A setting in one of git's config files: `core.hookspath`, or `includeif.<condition>.path`. */
export interface GitSetting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** The settings of a config file, as git reads them. Lines that make no sense have none. */
export function parseGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = []
  let section = ''
  for (const line of logicalLines(text)) {
    let rest = line
    for (let header = headerOf(rest); header; header = headerOf(rest)) {
      section = header.section
      rest = header.rest
    }
    const [, key, , value = ''] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(=(.*))?$/s.exec(rest) ?? []
    if (key !== undefined) settings.push({ section, key: key.toLowerCase(), value: unquoted(value) })
  }
  return settings
}

function headerOf(line: string): { readonly section: string; readonly rest: string } | null {
  const header = /^\s*\[([^\]\s"]+)(?:\s+"(?:[^"\\]|\\.)*")?\](.*)$/s.exec(line)
  return header && { section: header[1]?.toLowerCase() ?? '', rest: header[2] ?? '' }
}

// A backslash at its end continues a line, unless it is part of a comment.
const logicalLines = (text: string): readonly string[] =>
  text.replace(/^\uFEFF/, '').match(/(?:"(?:[^"\\\n]|\\.)*"|[#;][^\n]*|\\.|[^\\\n])+/gs) ?? []

function unquoted(value: string): string {
  const tokens = /"((?:[^"\\]|\\.)*)"|([#;].*)|\\(.)|(\s+)|([^"\\#;\s]+)/gs
  let text = ''
  for (const [, quoted, comment, escaped, space, plain] of value.matchAll(tokens)) {
    if (comment !== undefined) break
    if (quoted !== undefined) text += quoted.replace(/\\(.)/gs, (_, character) => unescaped(character))
    else text += escaped === undefined ? (space ?? plain ?? '') : unescaped(escaped)
  }
  return text.trim()
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\n': '' }

const unescaped = (character: string): string => escapes[character] ?? character
