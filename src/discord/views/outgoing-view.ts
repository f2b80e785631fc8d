import type { SessionID } from '../../tree/ids.ts'
import type { Outgoing } from '../../tree/outgoing.ts'
import { type ExitAction, type ForkOutcome, mayPutBack, putBackLabel } from '../../tree/side-fork.ts'
import type { Button, Content } from '../port.ts'
import { buttonID } from './button-id.ts'
import { aside } from './limits.ts'

const colours = { purple: 0x9b59b6, green: 0x2ecc71, blue: 0x3498db } as const

/** Something that a session sends, other than words alone. */
export function contentOf(
  what: Exclude<Outgoing, { kind: 'message' }>,
  sessionID: SessionID | null,
): Content {
  switch (what.kind) {
    case 'embed':
      return {
        card: { title: what.title, body: what.body, colour: colours.blue },
        buttons: what.buttons.map(({ label, inquiryID }) => ({
          id: buttonID({ kind: 'ask', inquiryID }),
          label,
          look: 'main',
        })),
      }
    case 'entered':
      return {
        card: { title: 'Forked session', body: what.topic ?? 'open session', colour: colours.purple },
        buttons: exits.map((exit) => exitButton(exit, what.isOpen ? sessionID : null)),
      }
    case 'ended':
      return {
        card: {
          title: 'Fork ended',
          body: `**${outcomeWords[what.outcome]}**\n${what.words}`,
          colour: what.outcome === 'saved' ? colours.green : colours.blue,
        },
        ...(sessionID !== null &&
          mayPutBack(what.outcome, what.files) && {
            buttons: [
              { id: buttonID({ kind: 'put-back', forkID: sessionID }), label: putBackLabel, look: 'plain' },
            ],
          }),
      }
    case 'notice':
      return { text: aside(what.text) }
  }
}

const outcomeWords: Readonly<Record<ForkOutcome, string>> = {
  saved: 'Context saved',
  reported: 'Summary reported',
  discarded: 'Discarded',
  finished: 'Finished',
  failed: 'Failed',
  'timed-out': 'Timed out',
}

const exits = [
  { action: 'save', label: 'Save context', look: 'good' },
  { action: 'report', label: 'Report', look: 'main' },
  { action: 'discard', label: 'Exit fork', look: 'plain' },
] as const satisfies readonly { action: ExitAction; label: string; look: Button['look'] }[]

// Without a fork that it could end, a button is off.
const exitButton = ({ action, label, look }: (typeof exits)[number], forkID: SessionID | null): Button =>
  forkID === null
    ? { id: `over:${action}`, label, look, isOff: true }
    : { id: buttonID({ kind: 'exit', action, forkID }), label, look }
