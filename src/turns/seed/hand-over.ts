import type { Connection, Tool } from '../../agents/driver.ts'
import { BoughError, messageOf } from '../../tree/error.ts'
import type { ForkSeed } from '../../tree/fork-seed.ts'
import { lengthOf } from '../../tree/line.ts'
import type { Session } from '../../tree/session.ts'
import { readPatience } from '../catch-up.ts'
import { type ConnectParts, openingOf } from '../connect.ts'
import { cutOffAfter, untilCutOff } from '../cut-off.ts'
import type { HeldSession } from '../held-session.ts'
import { within } from '../within.ts'
import { planSeed } from './plan-seed.ts'
import { Reply } from './reply.ts'
import { failureWords, type Settled, settleSeed } from './settle.ts'

// A seed is a turn without a prompt of the person: neither it nor its acknowledgement joins the tree. What does is the
// notice at its end, which stands for the last entry that the agent's own history has by then: from there the session
// goes on natively, and forks of it begin there.

export interface HandOverParts extends ConnectParts {
  /** Milliseconds until an agent is given up that says nothing to a seed. */
  readonly seedPatience: number
}

/**
 * Hands a session the line before it. Resolves with the connection that has it, or null where the agent is given the line
 * anyway. Rejects where that failed, and then says so in the session, but for when it was stopped.
 */
export async function handOver(
  parts: HandOverParts,
  session: Session,
  held: HeldSession,
  row: ForkSeed,
  stop: AbortSignal,
): Promise<Connection | null> {
  const { store, agents } = parts
  const driver = agents.named(session.agent)
  const line = await store.sessions.line(session.id)
  const plan = planSeed(store, driver, session, line, lengthOf(line))
  const { seed, window } = await within(plan, {
    stop,
    patience: readPatience,
    what: `What ${session.agent} can hold`,
  })
  const { text, sha256, tokens, leftOut } = seed
  await store.transaction(async (tx) => {
    await held.fence(tx)
    await tx.forkSeeds.begin(row.id, { sha256, tokens, window, leftOut })
    // Whatever an earlier try has begun: the next begins anew.
    await tx.sessions.bindNative(session.id, null)
  })
  const reply = new Reply(parts.ids, parts.clock)
  const settle = (how: Settled) => settleSeed(parts, held, { ...row, tokens, leftOut }, reply, how)
  if (driver.capabilities.history === 'line') {
    await settle('sent')
    return null
  }
  let connection: Connection | null = null
  let isSeeded = false
  try {
    const { tools, sandbox, ...options } = await openingOf(parts, session, held, line)
    const opening = parts.sandboxes.attach(session.id, sandbox, () =>
      driver.open({
        ...options,
        sandbox,
        tools: closedUntil(() => isSeeded, tools),
        start: { kind: 'fresh' },
        unsent: [],
      }),
    )
    const limits = { stop, patience: parts.seedPatience, what: `${session.agent}'s start` }
    connection = await within(opening, limits, (late) => late.close())
    await listen(parts, connection, held, text, reply, stop)
    if (reply.failure === null) {
      await settle('sent')
      isSeeded = true
      return connection
    }
  } catch (error) {
    // What cannot be stored is no fault of the agent's.
    if (reply.failure === null) {
      await connection?.close()
      throw error
    }
    reply.failure = messageOf(error)
  }
  await connection?.close()
  if (stop.aborted) {
    await settle('stopped')
    throw stop.reason
  }
  await settle('failed')
  throw new BoughError('agent_failed', `${failureWords(session.agent, reply)} Nothing was sent; try again.`)
}

// A seed tells what was, and wants nothing done: an agent that goes on with it all the same must not get far. Its own tools
// ask, and nobody is there; ours do not ask.
const closedUntil = (isOpen: () => boolean, tools: readonly Tool[]): readonly Tool[] =>
  tools.map((tool) => ({ ...tool, call: async (args) => (isOpen() ? tool.call(args) : notYet) }))

const notYet = { output: 'Nothing is to be done yet: wait for the next prompt.', exitCode: 1 }

async function listen(
  { store, seedPatience }: HandOverParts,
  connection: Connection,
  held: HeldSession,
  text: string,
  reply: Reply,
  stop: AbortSignal,
): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), seedPatience)
  const signal = AbortSignal.any([stop, silence.signal])
  const cutOff = cutOffAfter(signal)
  let told = ''
  try {
    for await (const event of untilCutOff(connection.send(text, signal), cutOff.promise)) {
      // That it tries again is no answer: without a network it could go on for ever.
      if (event.type === 'notice') told = ` ${event.text}`
      else timer.refresh()
      if (event.type === 'native-session') {
        await store.transaction(async (tx) => {
          await held.fence(tx)
          await tx.sessions.bindNative(held.sessionID, event.nativeID)
        })
      }
      reply.take(event)
      if (event.type === 'turn-finished' || event.type === 'error') return
    }
  } finally {
    clearTimeout(timer)
    cutOff.forget()
    if (silence.signal.aborted) reply.failure = `It did not answer.${told}`
  }
}
