import type { Bough } from '../bough.ts'
import { readConfig } from '../config.ts'
import { hasCode } from '../tree/error.ts'
import { shortID } from '../tree/ids.ts'
import type { ApprovalScope, Permission } from '../tree/permission.ts'
import { permissionLines, scopeNames } from '../tree/permission-words.ts'
import { visibleText } from '../tree/plain-text.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'

/** Deals with something that an agent asks, until it is answered or the signal says that it no longer matters. */
export type Asker = (permission: Permission, signal: AbortSignal) => Promise<void>

/** Puts a question to the person; null when there is no answer to come. */
export type Question = (text: string, signal: AbortSignal) => Promise<string | null>

type Told = Pick<Output, 'line' | 'paint'>

/** Where nobody can be asked: says how to answer from elsewhere, and how long the turn waits. */
export function announce(context: Pick<Context, 'err' | 'home' | 'server'>): Asker {
  return async (permission) => {
    const id = shortID(permission.id)
    const limit = await limitWords(context, permission)
    const answers = `Allow: bough approve ${id}   Deny: bough approve ${id} --deny${limit}`
    const [first = '', ...more] = permissionLines(permission)
    if (more.length === 0) context.err.line(`bough: the agent asks to ${first}. ${answers}`)
    else for (const line of [`bough: the agent asks to ${first}`, ...more, answers]) context.err.line(line)
    for (const line of offerLines(permission)) context.err.line(line)
  }
}

/** The wider approvals of a question, each with the option of `bough approve` that gives it. */
export const offerLines = ({ offers }: Permission): readonly string[] =>
  offers.flatMap(({ scope, words }) =>
    scope === 'call' ? [] : [`  --${scopeNames[scope].padEnd(7)}  ${visibleText(words)}`],
  )

// How long a server waits is its own affair, and not known here.
async function limitWords(
  { home, server }: Pick<Context, 'home' | 'server'>,
  { asked }: Permission,
): Promise<string> {
  if (server !== null) return ''
  const { timeout } = (await readConfig(home)).permissions
  const seconds = Math.max(1, timeout - Math.floor((Date.now() - asked) / 1000))
  const minutes = Math.round(seconds / 60)
  const left =
    seconds < 60
      ? `${seconds} second${seconds === 1 ? '' : 's'}`
      : `${minutes} minute${minutes === 1 ? '' : 's'}`
  return `   Unanswered, it is denied in ${left}.`
}

/** Asks the person at the terminal. Whoever answers first, here or elsewhere, has answered. */
export function askPerson(bough: Pick<Bough, 'events' | 'answer'>, err: Told, question: Question): Asker {
  return async (permission, turnOver) => {
    const answered = new AbortController()
    const signal = AbortSignal.any([turnOver, answered.signal])
    const watching = watchAnswer(bough, permission, signal, () => answered.abort())
    // Where it fails, the question stands all the same, and that is told after it.
    watching.catch(() => {})
    try {
      const choice = await choose(permission, err, question, signal)
      if (choice) await answer(bough, err, permission, choice)
      else err.line(answered.signal.aborted ? 'Answered elsewhere.' : '')
    } finally {
      answered.abort()
    }
    await watching
  }
}

type Choice = { readonly allow: boolean; readonly scope: ApprovalScope }

const keys: Readonly<Record<ApprovalScope, readonly string[]>> = {
  call: ['y', 'yes'],
  session: ['s', 'session'],
  always: ['a', 'always'],
  tool: ['e', 'every'],
}

/** So many lines of a question are shown at once. */
const pageLines = 30
const pageColumns = 1000

/** Shows the question and takes the answer. Nothing is allowed before all of it was shown. */
async function choose(
  { offers, ...asked }: Permission,
  err: Told,
  question: Question,
  signal: AbortSignal,
): Promise<Choice | null> {
  const [first = '', ...more] = permissionLines(asked).flatMap(inPieces)
  const pages = chunked([`The agent asks to ${first}`, ...more], pageLines)
  for (const [i, page] of pages.entries()) {
    for (const line of page) err.line(err.paint('yellow', line))
    if (i === pages.length - 1) break
    const text = await question(`Part ${i + 1} of ${pages.length}. Enter shows more, n(o) denies: `, signal)
    if (text === null) return null
    if (isNo(text)) return { allow: false, scope: 'call' }
  }
  const wider = offers.filter(({ scope }) => scope !== 'call')
  for (const { scope, words } of wider) err.line(`  ${keys[scope][0]}  allow ${visibleText(words)}`)
  const letters = wider.map(({ scope }) => ` ${keys[scope][0]}`).join('')
  // Anything but a clear answer is asked again: a line typed ahead must not allow something by accident.
  while (!signal.aborted) {
    const text = await question(`Allow it? y(es) n(o)${letters}: `, signal)
    if (text === null) return null
    if (isNo(text)) return { allow: false, scope: 'call' }
    const offer = offers.find(({ scope }) => keys[scope].includes(text.trim().toLowerCase()))
    if (offer) return { allow: true, scope: offer.scope }
  }
  return null
}

const isNo = (text: string): boolean => /^no?$/i.test(text.trim())

const inPieces = (line: string): readonly string[] =>
  line.length <= pageColumns ? [line] : chunked([...line], pageColumns).map((piece) => piece.join(''))

function chunked<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(all.length / size)
  return Array.from({ length: count }, (_, i) => all.slice(i * size, (i + 1) * size))
}

async function answer(
  bough: Pick<Bough, 'answer'>,
  err: Told,
  permission: Permission,
  choice: Choice,
): Promise<void> {
  try {
    await bough.answer(permission.id, choice)
  } catch (error) {
    if (!hasCode(error, 'permission_answered')) throw error
    err.line('Answered elsewhere.')
  }
}

async function watchAnswer(
  bough: Pick<Bough, 'events'>,
  { id }: Permission,
  signal: AbortSignal,
  onAnswer: () => void,
): Promise<void> {
  for await (const event of bough.events({ signal })) {
    if (event.kind === 'permission.answered' && event.subjectID === id) onAnswer()
  }
}
