import type { Paint } from '../../tree/drawn/paint.ts'
import { shortID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import type { Permission } from '../../tree/permission.ts'
import { permissionLines, scopeNames } from '../../tree/permission-words.ts'
import { plainLine, plainText, visibleText } from '../../tree/plain-text.ts'
import { mayPutBack, putBackLabel } from '../../tree/side-fork.ts'
import type { ReceivedMessage } from './received.ts'

/** Something that a fork, or bough, wants shown, as lines; `id` is how a person names it. */
export function outgoingLines(what: Outgoing, id: string, paint: Paint): readonly string[] {
  switch (what.kind) {
    case 'message':
      return [
        `${paint(['bold', 'green'], 'agent')} ${paint('dim', `message ${id} · /reply ${id} <text>`)}`,
        plainText(what.text).trimEnd(),
      ]
    case 'embed':
      return [
        `${paint(['bold', 'green'], 'agent')} ${paint('dim', `message ${id} · /reply ${id} <text>`)}`,
        paint('bold', plainLine(what.title)),
        ...(what.body === '' ? [] : [plainText(what.body).trimEnd()]),
        ...what.buttons.map(
          ({ label }, i) => `  [${i + 1}] ${plainLine(label)}  ${paint('dim', `/click ${id} ${i + 1}`)}`,
        ),
      ]
    case 'entered':
      return [forkBanner(what.topic, what.isOpen, paint)]
    case 'ended':
      return [
        ...endedLines(plainText(what.words), paint),
        ...(mayPutBack(what.outcome, what.files) ? [paint('dim', `  /put-back  ${putBackLabel}`)] : []),
      ]
    case 'notice':
      return [paint('yellow', plainText(what.text).trimEnd()), paint('dim', `  /reply ${id} <text>`)]
  }
}

function endedLines(words: string, paint: Paint): readonly string[] {
  const [first = '', ...more] = words.split('\n')
  return [paint('cyan', `── ${first} ──`), ...more]
}

/** What of it can be replied to; null for a banner. */
export function replyable(what: Outgoing, id: string): ReceivedMessage | null {
  switch (what.kind) {
    case 'message':
    case 'notice':
      return { id, text: what.text, buttons: [] }
    case 'embed':
      return { id, text: `${what.title}\n${what.body}`, buttons: what.buttons }
    case 'entered':
    case 'ended':
      return null
  }
}

/** The banner of an interactive fork, with how it ends while it is open. */
export const forkBanner = (topic: string | null, isOpen: boolean, paint: Paint): string =>
  paint(
    'cyan',
    `── Forked session: ${plainLine(topic ?? 'open session')}${isOpen ? '  (/save /report /exit)' : ''} ──`,
  )

/** A permission that is asked for elsewhere, and how to answer. */
export function askLines(permission: Permission, paint: Paint): readonly string[] {
  const short = shortID(permission.id)
  const [first = '', ...more] = permissionLines(permission)
  const wider = permission.offers.flatMap(({ scope, words }) =>
    scope === 'call' ? [] : [`  /approve ${short} ${scopeNames[scope].padEnd(7)}  ${visibleText(words)}`],
  )
  return [
    paint('yellow', `Session ${shortID(permission.sessionID)} asks to ${first}`),
    ...more.map((line) => paint('yellow', line)),
    `  /approve ${short}   /deny ${short}   ${paint('dim', `or elsewhere: bough approve ${short}`)}`,
    ...wider,
  ]
}
