import type { Tool } from './agents/driver.ts'
import type { Bough, CreateOptions, PersonsDoing } from './bough.ts'
import { mustBePrompt } from './check-input.ts'
import type { Config } from './config.ts'
import type { ForkParts } from './forks/fork-options.ts'
import { channelOf, livingChannel } from './forks/side/channel-of.ts'
import type { Channels } from './forks/side/channels.ts'
import type { TurnRunner } from './forks/side/side-parts.ts'
import { localZone } from './local-zone.ts'
import type { DueParts } from './routines/due.ts'
import { findSchedule, livingSession } from './store/find.ts'
import type { Transaction } from './store/store.ts'
import { BoughError } from './tree/error.ts'
import type { SessionID } from './tree/ids.ts'
import type { InboxItem, Incoming } from './tree/inbox.ts'
import type { Session } from './tree/session.ts'
import { onOneLine } from './tree/text.ts'
import type { Caller } from './turns/connect.ts'
import type { Prompt } from './turns/running-turn.ts'

/** What the part of Bough that is about channels stands on. */
export interface OpenChannelsParts extends ForkParts {
  readonly config: Config['forks']
  /** Milliseconds between two looks at the clock. */
  readonly lookEvery: number
  /** Milliseconds that a process which stands still keeps what it has in hand. */
  readonly patience?: number | undefined
  readonly turns: TurnRunner
  /** Checks what a new session is to be, and resolves with what stores it. */
  newSession(options: CreateOptions): Promise<(tx: Transaction) => Promise<Session>>
}

type ChannelMethods = Pick<
  Bough,
  | ('openChannel' | 'channelOf' | 'channel' | 'channels' | 'attend' | 'say' | 'link' | 'exit' | 'keepTime')
  | ('runBackground' | 'sideFork' | 'sideForks' | 'sent' | 'pending' | 'updates' | 'clearUpdates')
  | ('schedules' | 'findSchedule' | 'addRoutine' | 'addReminder' | 'cancelSchedule' | 'runSchedule')
  | ('changeSchedule' | 'scheduleRuns' | 'promote' | 'waiting')
>

/** What the rest of Bough needs of it. */
interface OpenChannels {
  readonly methods: ChannelMethods
  toolsFor(caller: Caller): Promise<readonly Tool[]>
  /** A prompt of the person, with what stands before it in its session. */
  promptFor(sessionID: SessionID, text: string): Promise<Prompt>
  /** What the person does in a fork keeps it awake. */
  touch(sessionID: SessionID): Promise<void>
  /** Begins nothing any more; resolves when what has begun is done. */
  rest(): Promise<void>
  close(): Promise<void>
}

/** Wires channels, forks that come back and schedules. Loaded when they are first needed. */
export function openChannels(parts: OpenChannelsParts): OpenChannels {
  const { store, ids, clock, agents } = parts
  const { limit, idle: idleTimeout, background } = parts.config
  // Asked for when it is needed: most commands need none.
  const side = {
    ...parts,
    limit,
    idleTimeout,
    backgroundFiles: background.files,
    get zone() {
      return localZone()
    },
  }
  const schedules = {
    store,
    ids,
    clock,
    get zone() {
      return localZone()
    },
    mustBeInstalled: (name: string) => agents.mustBeInstalled(name),
  }

  let made: Promise<Channels> | null = null
  const channels = (): Promise<Channels> => {
    made ??= import('./forks/side/channels.ts').then(
      ({ Channels }) => new Channels({ ...side, jobs: [fireDue] }),
    )
    return made
  }

  // Made before they are needed: the body of a transaction makes only store calls.
  const withDue = async <T>(work: (due: DueParts) => Promise<T>): Promise<T> => {
    const [made, { post }] = await Promise.all([channels(), import('./forks/side/post.ts')])
    const queued: InboxItem[] = []
    const due: DueParts = {
      ...schedules,
      startRun({ schedule, within }) {
        const { id, channelID, prompt, agent, model, allowedTools, sandbox, files } = schedule
        const request = { prompt, agent, model, allowedTools, sandbox, files, scheduleID: id, within }
        return made.start(channelID, { ...request, origin: 'schedule' })
      },
      async queueForMain(tx, channelID, what) {
        const item = made.newItem(channelID, what, { isForMain: true })
        await tx.inbox.insert(item)
        queued.push(item)
      },
      async tellFailure(tx, { channelID, prompt, kind }, reason) {
        const channel = await tx.channels.get(channelID)
        const text = `The ${kind} “${onOneLine(prompt, 60)}” could not run: ${reason}`
        if (channel) await post(tx, parts, channelID, channel.mainID, { kind: 'notice', text })
      },
    }
    try {
      return await work(due)
    } finally {
      // Here, since it is this process's: whoever keeps time next does only what others have left.
      for (const item of queued) made.begin(item)
    }
  }
  const fireDue = async (): Promise<void> => {
    if (((await store.schedules.nextDue()) ?? Number.POSITIVE_INFINITY) > clock()) return
    const routines = await import('./routines/due.ts')
    await withDue(routines.fireDue)
  }

  return {
    async toolsFor(caller) {
      const { ownTools } = await import('./tools/own-tools.ts')
      return ownTools({ ...schedules, channels: await channels() }, caller)
    },
    async promptFor(sessionID, text) {
      const { contextOf } = await import('./forks/side/prompt-context.ts')
      return {
        text,
        async before(tx, messageID, notes) {
          await tx.sideForks.touch(sessionID, clock(), 'person')
          return contextOf(side, tx, sessionID, messageID, notes)
        },
      }
    },
    async touch(sessionID) {
      if ((await store.sideForks.get(sessionID))?.state === 'open')
        await store.transaction((tx) => tx.sideForks.touch(sessionID, clock(), 'person'))
    },
    async rest() {
      await (await made)?.rest()
    },
    async close() {
      await (await made)?.close()
    },
    methods: {
      async openChannel({ frontEnd, key, mainID }, options = {}) {
        const found = await store.channels.keyed(frontEnd, key)
        if (found) return found
        const mainFor =
          mainID === undefined
            ? await parts.newSession(options)
            : (tx: Transaction) => livingSession(tx, mainID)
        return store.transaction(async (tx) => {
          const first = await tx.channels.keyed(frontEnd, key)
          if (first) return first
          const id = ids.channel()
          const main = await mainFor(tx)
          await tx.channels.insert({ id, frontEnd, key, mainID: main.id, created: clock() })
          return livingChannel(tx, id)
        })
      },
      channelOf: (sessionID) => store.transaction((tx) => channelOf(parts, tx, sessionID)),
      channel: (id) => livingChannel(store, id),
      channels: () => store.channels.all(),
      async promote(id, sessionID) {
        const { promote } = await import('./forks/side/move-main.ts')
        return promote(parts, id, sessionID)
      },
      attend: async (id, frontEnd) => (await channels()).attend(id, frontEnd),
      say: async (id, what, options) => (await channels()).take(id, incomingOf(what), options),
      async waiting(id) {
        await livingChannel(store, id)
        return (await store.inbox.open(id)).filter(({ state }) => state === 'waiting')
      },
      async link(channelID, externalID, sessionID, turnID) {
        const link = { channelID, externalID, created: clock() }
        await store.transaction(async (tx) => {
          if (await tx.sideForks.get(sessionID)) await tx.links.insert({ ...link, sessionID })
          if (turnID !== undefined) await tx.links.show({ ...link, turnID })
        })
      },
      async exit(forkID, { action, text }) {
        if (text !== undefined && text.trim() === '')
          throw new BoughError('bad_input', 'There is nothing to report: the text is empty.')
        return (await channels()).exit(forkID, action, text ?? null)
      },
      async runBackground(place, prompt, { timeout, ...options } = {}) {
        mustBePrompt(prompt)
        if (timeout !== undefined && !(timeout > 0))
          throw new BoughError('bad_input', 'The time limit must be more than 0 minutes.')
        if (options.agent !== undefined) await agents.mustBeInstalled(options.agent)
        const limit = timeout === undefined ? {} : { timeout: Math.round(timeout * 60_000) }
        return (await channels()).start(place, { ...options, ...limit, origin: 'person', prompt })
      },
      sideFork: (id) => store.sideForks.get(id),
      sideForks: (query) => store.sideForks.list(query),
      async sent(id, limit = 50) {
        await livingChannel(store, id)
        return store.outbox.newest(id, limit)
      },
      pending: async () => (await channels()).pending(),
      updates: async (id) =>
        (
          await Promise.all(
            (id ? [{ id }] : await store.channels.all()).map((each) => store.updates.waiting(each.id)),
          )
        )
          .flat()
          .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      clearUpdates: ({ channelID, upTo } = {}) =>
        store.transaction(async (tx) => {
          let count = 0
          for (const channel of channelID ? [{ id: channelID }] : await tx.channels.all())
            for (const { id } of await tx.updates.waiting(channel.id)) {
              if (upTo !== undefined && id > upTo) continue
              await tx.updates.remove(id)
              count++
            }
          return count
        }),
      keepTime: async (options) => (await channels()).keepTime(options),
      schedules: (id) => store.schedules.list(id),
      findSchedule: (typed) => findSchedule(store, typed),
      async addRoutine(id, routine) {
        const { addRoutine } = await import('./routines/schedules.ts')
        return addRoutine(schedules, id, routine)
      },
      async addReminder(id, reminder) {
        const { addReminder } = await import('./routines/schedules.ts')
        return addReminder(schedules, id, reminder)
      },
      async changeSchedule(id, change) {
        const { changeSchedule } = await import('./routines/schedules.ts')
        return changeSchedule(schedules, id, change)
      },
      async cancelSchedule(id) {
        const { cancelSchedule } = await import('./routines/schedules.ts')
        return cancelSchedule(schedules, id)
      },
      async runSchedule(id) {
        const { runNow } = await import('./routines/due.ts')
        return withDue((due) => runNow(due, id))
      },
      scheduleRuns: (id, limit = 20) => store.schedules.runs(id, limit),
    },
  }
}

function incomingOf(what: PersonsDoing): Incoming {
  switch (what.kind) {
    case 'message':
      mustBePrompt(what.text)
      return { ...what, externalID: what.externalID ?? null, replyTo: what.replyTo ?? null }
    case 'fork': {
      const topic = what.topic?.trim() || null
      if (topic !== null) mustBePrompt(topic)
      const { idleTimeout = null } = what
      if (idleTimeout !== null && !(Number.isInteger(idleTimeout) && idleTimeout > 0))
        throw new BoughError('bad_input', 'The idle time must be a whole number of minutes, from 1 on.')
      return { kind: 'fork', topic, idleTimeout, turnID: null }
    }
    case 'exit':
      return { ...what, text: null }
    case 'click':
      return { ...what, prompt: null }
  }
}
