import type { PersonsDoing } from '../../../src/bough.ts'
import type { ChannelFrontEnd, SayOptions } from '../../../src/tree/front-end.ts'
import type { ChannelID, SessionID } from '../../../src/tree/ids.ts'
import type { InboxItem } from '../../../src/tree/inbox.ts'
import type { Outgoing } from '../../../src/tree/outgoing.ts'
import type { Permission } from '../../../src/tree/permission.ts'
import type { Turn } from '../../../src/tree/turn.ts'
import { until } from '../until.ts'
import type { Ground } from './ground.ts'

/** A chat that writes down all that it is to show. Its messages are m1, m2 … */
export class Chat implements ChannelFrontEnd {
  readonly shown: { readonly turn: Turn; readonly item: InboxItem; readonly outcome: string }[] = []
  readonly sent: { readonly what: Outgoing; readonly externalID: string; readonly sessionID: SessionID }[] =
    []
  readonly edited: { readonly externalID: string; readonly what: Outgoing }[] = []
  readonly asked: { readonly permission: Permission; readonly signal: AbortSignal }[] = []

  async show(turn: Turn, item: InboxItem): Promise<void> {
    for await (const _ of turn.events);
    this.shown.push({ turn, item, outcome: (await turn.ended).outcome })
  }

  async send(what: Outgoing, _: string, sessionID: SessionID): Promise<string> {
    const externalID = `m${this.sent.length + 1}`
    this.sent.push({ what, externalID, sessionID })
    return externalID
  }

  async edit(externalID: string, what: Outgoing): Promise<void> {
    this.edited.push({ externalID, what })
  }

  async ask(permission: Permission, signal: AbortSignal): Promise<void> {
    this.asked.push({ permission, signal })
  }

  /** Waits until something of a kind is sent; gives the newest. */
  sentOf<K extends Outgoing['kind']>(kind: K) {
    return until(`something of the kind ${kind} to be sent`, () =>
      this.sent.flatMap(({ what, ...rest }) => (isOf(what, kind) ? [{ what, ...rest }] : [])).at(-1),
    )
  }
}

const isOf = <K extends Outgoing['kind']>(what: Outgoing, kind: K): what is Extract<Outgoing, { kind: K }> =>
  what.kind === kind

/** A channel with a main, and what is done in it. */
export interface Talk {
  readonly channelID: ChannelID
  readonly mainID: SessionID
  does(what: PersonsDoing, options?: SayOptions): Promise<void>
  say(text: string, options?: SayOptions): Promise<void>
  /** The fork that is open. */
  openFork(): Promise<SessionID>
  /** What was said in a session, by the person. */
  prompts(id: SessionID): Promise<readonly string[]>
}

export async function openTalk({ bough, directory }: Ground): Promise<Talk> {
  const place = { frontEnd: 'test', key: 'chat' }
  const { id: channelID, mainID } = await bough.openChannel(place, { directory, title: 'Main' })
  const does = (what: PersonsDoing, options?: SayOptions) => bough.say(channelID, what, options)
  return {
    channelID,
    mainID,
    does,
    say: (text, options) => does({ kind: 'message', text }, options),
    async openFork() {
      const { openForkID } = await bough.channel(channelID)
      if (openForkID === null) throw new Error('No fork is open.')
      return openForkID
    },
    prompts: async (id) =>
      (await bough.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text),
  }
}
