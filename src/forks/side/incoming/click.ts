import type { Reader } from '../../../store/store.ts'
import { BoughError } from '../../../tree/error.ts'
import type { InquiryID, SessionID } from '../../../tree/ids.ts'
import type { Incoming } from '../../../tree/inbox.ts'
import { type Inquiry, linksLast } from '../../../tree/link.ts'
import { buttonClicked } from '../../../tree/prompts.ts'
import type { TurnEnd } from '../../../tree/turn.ts'
import { alreadyInFork } from '../enter-fork.ts'
import { continueFork } from './continue-fork.ts'
import { channelOfDesk, type Desk, type DeskTurn, runTurn, runTurnWhere } from './desk.ts'

type Click = Extract<Incoming, { kind: 'click' }>

/** A click on a button that an agent sent: it goes on with the fork that sent it, or to main. */
export async function click(desk: Desk, what: Click): Promise<TurnEnd> {
  const { forkID, isForMain } = desk.item
  if (isForMain) {
    const turn = pressed(what.prompt)
    return runTurnWhere(desk, async () => ({ ...turn, sessionID: (await channelOfDesk(desk)).mainID }))
  }
  const inquiry = await desk.parts.store.links.inquiry(what.inquiryID)
  const turn = pressed(inquiry?.prompt)
  // A fork that it has opened already, before a crash.
  return runTurn(desk, { ...turn, sessionID: forkID ?? (await open(desk, what, inquiry)) })
}

async function open(desk: Desk, { inquiryID }: Click, inquiry: Inquiry | null): Promise<SessionID> {
  const { store, clock } = desk.parts
  const { sessionID } = goodInquiry(inquiry, inquiryID, clock())
  const { openForkID } = await channelOfDesk(desk)
  if (openForkID !== null) throw alreadyInFork('End it first; the button waits for you.')
  const session = sessionID && (await store.sessions.get(sessionID))
  if (!session || session.deleted) throw gone()
  return continueFork(desk, session.id, 'button', async (tx) => {
    if (!(await tx.links.use(inquiryID, clock()))) throw used()
  })
}

// The person has said nothing: what the button says is not shown as their words.
function pressed(prompt: string | null | undefined): Omit<DeskTurn, 'sessionID'> {
  if (!prompt) throw gone()
  return { text: '', notes: [buttonClicked(prompt)], isPersons: true }
}

/** An inquiry that a click can still use, or an error that says why not. */
export function goodInquiry(
  inquiry: Inquiry | null,
  id: InquiryID,
  now: number,
): Inquiry & { readonly prompt: string } {
  if (!inquiry) throw new BoughError('not_found', `There is no button ${id}.`)
  if (inquiry.used !== null) throw used()
  if (inquiry.prompt === null || inquiry.created + linksLast < now)
    throw new BoughError('bad_input', 'That button is too old: its run can no longer be continued.')
  return { ...inquiry, prompt: inquiry.prompt }
}

/** Whether a click goes to main: when main itself sent the button, or what sent it is main now. */
export async function isForMain(reader: Reader, { sessionID, channelID }: Inquiry): Promise<boolean> {
  return sessionID === null || (await reader.channels.get(channelID))?.mainID === sessionID
}

export const used = (): BoughError => new BoughError('bad_input', 'That button has been used already.')

const gone = (): BoughError =>
  new BoughError('not_found', 'The run that sent this button is gone: it was deleted.')
