import type { ChannelFrontEnd } from '../../tree/front-end.ts'
import type { ChannelID, OutboxID, PermissionID, SessionID, TurnID } from '../../tree/ids.ts'
import type { OutboxItem } from '../../tree/outgoing.ts'
import type { Permission } from '../../tree/permission.ts'
import type { Awake } from './awake.ts'
import type { SideParts } from './side-parts.ts'

interface AttendanceParts extends Pick<SideParts, 'store' | 'process'> {
  readonly awake: Awake
  /** What is being shown by this process just now, by whichever front end. */
  readonly inHand: Set<OutboxID>
}

/** Milliseconds until something is tried again that a front end could not show. */
const tryAgainAfter = 2_000

/** A front end that shows a channel in this process: what forks send goes there, in its order, and what they ask. */
export class Attendance {
  readonly channelID: ChannelID
  readonly frontEnd: ChannelFrontEnd
  /** Turns that the front end shows as they run: it asks there. */
  readonly showing = new Set<TurnID>()
  readonly #parts: AttendanceParts
  readonly #asked = new Map<PermissionID, AbortController>()
  readonly #failed = new Map<OutboxID, number>()
  readonly #stopWatching: () => void
  readonly #timer: NodeJS.Timeout
  #delivering: Promise<void> = Promise.resolve()
  /** It has not begun yet. */
  #isPlanned = false
  #isClosed = false

  constructor(parts: AttendanceParts, channelID: ChannelID, frontEnd: ChannelFrontEnd) {
    this.#parts = parts
    this.channelID = channelID
    this.frontEnd = frontEnd
    const look = () => void Promise.all([this.deliver(), this.#ask()]).catch(() => {})
    this.#stopWatching = parts.store.watch(look)
    this.#timer = setInterval(look, tryAgainAfter).unref()
    look()
  }

  /** Shows what waits; whether some of it could not be shown, so that what comes now has to wait, too. */
  async isBehind(): Promise<boolean> {
    await this.deliver()
    return this.#failed.size > 0
  }

  /** Shows what waits. One after the other: they are in an order. Those who ask before that begins share it. */
  deliver(): Promise<void> {
    if (this.#isPlanned) return this.#delivering
    this.#isPlanned = true
    this.#delivering = this.#delivering.then(() => this.#deliver()).catch(() => {})
    return this.#delivering
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopWatching()
    clearInterval(this.#timer)
    for (const asking of this.#asked.values()) asking.abort()
    await this.#delivering
  }

  async #deliver(): Promise<void> {
    const { store, process, inHand } = this.#parts
    this.#isPlanned = false
    if (this.frontEnd.isGuest) return
    const items = await store.outbox.open(this.channelID)
    for (const id of this.#failed.keys()) if (!items.some((item) => item.id === id)) this.#failed.delete(id)
    for (const item of items) {
      if (this.#isClosed || !(await this.#mayTake(item)) || inHand.has(item.id)) return
      inHand.add(item.id)
      try {
        if (!(await store.transaction((tx) => tx.outbox.take(item.id, process, item.process)))) return
        await this.#show(item)
        this.#failed.delete(item.id)
      } catch {
        this.#failed.set(item.id, performance.now())
        await store.transaction((tx) => tx.outbox.putBack(item.id, process))
        return
      } finally {
        inHand.delete(item.id)
      }
    }
  }

  async #mayTake({ id, process }: OutboxItem): Promise<boolean> {
    const failed = this.#failed.get(id)
    if (failed !== undefined && performance.now() - failed < tryAgainAfter) return false
    const { awake } = this.#parts
    return process === null || awake.isOurs(process) || awake.hasLeft(process)
  }

  async #show({ id, channelID, sessionID, what, created }: OutboxItem): Promise<void> {
    const { store } = this.#parts
    const externalID = await this.#parts.awake.during(async () => {
      // First, so that a fork that is over has no buttons, and this is done again where they could not be taken.
      if (what.kind === 'ended') await this.#closeBanner(sessionID)
      return this.frontEnd.send(what, id, sessionID)
    })
    await store.transaction(async (tx) => {
      await tx.outbox.sent(id, externalID)
      if (externalID !== null && (await tx.sideForks.get(sessionID)))
        await tx.links.insert({ channelID, externalID, sessionID, created })
    })
  }

  async #closeBanner(sessionID: SessionID): Promise<void> {
    for (const { what, externalID } of await this.#parts.store.outbox.of(sessionID))
      if (what.kind === 'entered' && externalID !== null)
        await this.frontEnd.edit(externalID, { ...what, isOpen: false })
  }

  // What is asked in a turn that is shown here is asked there.
  async #ask(): Promise<void> {
    const { store } = this.#parts
    const asked = await store.permissions.asked()
    for (const [id, asking] of this.#asked)
      if (!asked.some((each) => each.id === id)) {
        asking.abort()
        this.#asked.delete(id)
      }
    for (const permission of asked) {
      if (this.#isClosed || this.#asked.has(permission.id) || this.showing.has(permission.turnID)) continue
      if (!(await this.#isOfChannel(permission)) || this.#asked.has(permission.id)) continue
      const asking = new AbortController()
      this.#asked.set(permission.id, asking)
      void this.frontEnd.ask(permission, asking.signal).catch(() => {})
    }
  }

  async #isOfChannel({ sessionID }: Permission): Promise<boolean> {
    const { store } = this.#parts
    if ((await store.sideForks.get(sessionID))?.channelID === this.channelID) return true
    return (await store.channels.get(this.channelID))?.mainID === sessionID
  }
}
