import { resolve, sep } from 'node:path'
import { folded } from './protected-names.ts'
import { isWithin, realPathOf } from './real-path.ts'

// The path in a rule for files, as `write(~/notes/*)` has it: relative to the session's directory, `~` is the home
// directory, and `*` stands for any characters.

/** The file that a call is about, and what rules for it are relative to. */
export interface RuledFile {
  /** As the agent named it. */
  readonly path: string
  /** Where it is, links followed. */
  readonly realPath: string
  /** Everything below it is meant too. */
  readonly isDeep: boolean
  /** The session's. */
  readonly directory: string
  readonly home: string
}

/** A rule's directory or file, normalised, and what follows it from its first wildcard on. */
interface Rule {
  readonly start: string
  readonly rest: string | null
}

/** Whether a pattern covers the real file. Links in the pattern are followed only where no agent can have made them. */
export async function covers(pattern: string, file: RuledFile): Promise<boolean> {
  const rule = ruleOf(pattern, (await realPathOf(file.directory)) ?? file.directory, file.home)
  const [, top = ''] = rule.start.split(sep)
  const forms = [rule, await withReal(rule, file.home), await withReal(rule, `${sep}${top}`)]
  return forms.some((form) =>
    file.isDeep ? includesAllBelow(form, file.realPath) : expressionFor(form).test(file.realPath),
  )
}

/** Whether a denial is meant for the file, as it is named or where it is; `part` where it is meant for something below. */
export async function isMeantFor(pattern: string, file: RuledFile): Promise<'all' | 'part' | null> {
  const directories = [file.directory, (await realPathOf(file.directory)) ?? file.directory]
  const written = directories.map((directory) => ruleOf(pattern, directory, file.home))
  const forms = [...written, ...(await Promise.all(written.map((rule) => withReal(rule, rule.start))))].map(
    ({ start, rest }) => ({ start: folded(start), rest: rest && folded(rest) }),
  )
  const paths = [resolve(file.path), file.realPath].map(folded)
  const some = (holds: (form: Rule, path: string) => boolean): boolean =>
    forms.some((form) => paths.some((path) => holds(form, path)))
  if (some(includes) || some(includesAllBelow)) return 'all'
  return file.isDeep && some(mayIncludeBelow) ? 'part' : null
}

function ruleOf(pattern: string, directory: string, home: string): Rule {
  const path = pattern.replace(/^~(?=\/|$)/, () => home)
  const wild = path.indexOf('*')
  if (wild === -1) return { start: resolve(directory, path), rest: null }
  if (wild === 0) return { start: sep, rest: path }
  const end = path.lastIndexOf(sep, wild) + 1
  return { start: resolve(directory, path.slice(0, end)), rest: path.slice(end) }
}

/** With the beginning of its path replaced by where that really is. */
async function withReal({ start, rest }: Rule, beginning: string): Promise<Rule> {
  if (!isWithin(start, beginning)) return { start, rest }
  const real = (await realPathOf(beginning)) ?? beginning
  return { start: resolve(real, `.${sep}${start.slice(beginning.length)}`), rest }
}

function expressionFor({ start, rest }: Rule): RegExp {
  const inDirectory = start.endsWith(sep) ? start : start + sep
  const words = rest === null ? RegExp.escape(start) : RegExp.escape(inDirectory) + wildcards(rest)
  return new RegExp(`^${words}$`, 's')
}

const wildcards = (text: string): string => text.split(/\*+/).map(RegExp.escape).join('.*')

// A denial of a directory is meant for the files in it.
const includes = (rule: Rule, path: string): boolean =>
  rule.rest === null ? isWithin(path, rule.start) : expressionFor(rule).test(path)

const includesAllBelow = (rule: Rule, path: string): boolean =>
  rule.rest === null
    ? rule.start === path
    : rule.rest.endsWith('*') && expressionFor(rule).test(`${path}${sep}`)

const mayIncludeBelow = ({ start, rest }: Rule, path: string): boolean =>
  isWithin(start, path) || (rest !== null && isWithin(path, start))
