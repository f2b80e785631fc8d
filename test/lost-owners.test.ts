import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Home } from '../src/home.ts'
import { storeFile } from '../src/store/open.ts'
import { commandGone, commandRuns, runFor, runningCommands } from './support/commands.ts'
import { damageIn, ownMessages } from './support/damage.ts'
import { newGround, openHere } from './support/ground.ts'
import { Host } from './support/host.ts'
import { until } from './support/until.ts'
import { waiting } from './support/waiting.ts'
import { isLocked } from './support/write-lock.ts'

// Owners that are killed, stopped past the limit, or whose session is deleted under them.

/** The limit for suspended processes in these tests. */
const lease = 1000

test('A waiting process that is stopped past the limit does not keep the others from their turns', async () => {
  const { home, store, sessionID } = await newGround()
  const [busy, next] = await Promise.all([Host.open(home), Host.open(home)])
  const stopped = await Host.open(home, { lease })
  const first = busy.send(sessionID, 'sleep 600')
  await first.stored()
  const late = stopped.send(sessionID, 'From the one that was stopped')
  await waiting(store, sessionID, 1)
  await stop(stopped, home)
  const turn = next.send(sessionID, 'From the next')
  await waiting(store, sessionID, 2)
  await busy.abort(sessionID)
  expect(await turn.ended()).toMatchObject({ outcome: 'finished' })

  stopped.program.signal('SIGCONT')
  expect(await late.ended(), 'it is served when it goes on').toMatchObject({ outcome: 'finished' })
})

test('The turn of a killed owner is closed as interrupted, and the command of its agent ended, when bough next opens', async () => {
  const { home, bough: first, store, directory, sessionID } = await newGround()
  await first.close()
  const doomed = await Host.open(home)
  const { turnID } = await doomed.send(sessionID, `words 20\n${runFor(600)}\nwrite late.txt: x`).stored()
  await commandRuns(directory)
  await doomed.program.kill()
  expect(await store.turns.get(turnID), 'nobody has looked yet').toMatchObject({ outcome: null })

  const bough = await openHere(home)
  expect(await runningCommands(directory)).toEqual([])
  expect(await store.turns.get(turnID)).toMatchObject({ outcome: 'interrupted' })
  expect(await store.owners.get(sessionID)).toBeNull()
  const line = await bough.messages(sessionID)
  expect(line.map(({ role, status }) => [role, status])).toEqual([
    ['user', 'complete'],
    ['assistant', 'complete'],
    ['tool', 'interrupted'],
    ['system', 'interrupted'],
  ])
  expect(line[1]?.text).toMatch(/^bark twig leaf .* leaf$/)
  expect(await damageIn(store)).toEqual([])

  const turn = await bough.send(sessionID, 'What do you know?')
  expect(await turn.ended).toMatchObject({ outcome: 'finished' })
  const reply = (await bough.messages(sessionID)).at(-1)?.text
  expect(reply).toContain('This is turn 2 on this line.')
  expect(reply).toContain('“words 20 run sleep 600')
  expect(await runningCommands(directory), 'it was not run again').toEqual([])
  expect(existsSync(join(directory, 'late.txt'))).toBe(false)
})

test('What the agent of a killed owner had said so far is kept and marked interrupted', async () => {
  const { home, bough: first, store, sessionID } = await newGround()
  await first.close()
  const doomed = await Host.open(home)
  const { turnID } = await doomed.send(sessionID, 'words 100000').stored()
  const draft = await until('a draft of some length', async () => {
    const saved = (await store.turns.get(turnID))?.draft
    return saved?.parts.some((part) => part.type === 'text' && part.text.length > 100) && saved
  })
  await doomed.program.kill()

  const bough = await openHere(home)
  const [prompt, said, notice, ...others] = await bough.messages(sessionID)
  expect(prompt).toMatchObject({ role: 'user', status: 'complete' })
  expect(said).toMatchObject({ id: draft.messageID, role: 'assistant', status: 'interrupted' })
  expect(said?.text.startsWith(draft.parts.map((part) => ('text' in part ? part.text : '')).join(''))).toBe(
    true,
  )
  expect(notice).toMatchObject({ role: 'system', status: 'interrupted' })
  expect(others).toEqual([])
  expect(await store.turns.get(turnID)).toMatchObject({ outcome: 'interrupted', draft: null })
})

test('A turn that waits behind a killed owner runs', async () => {
  const { home, store, directory, sessionID } = await newGround()
  const [doomed, waiter] = await Promise.all([Host.open(home), Host.open(home)])
  doomed.send(sessionID, runFor(600))
  await commandRuns(directory)
  const turn = waiter.send(sessionID, 'Next')
  await waiting(store, sessionID, 1)
  await doomed.program.kill()
  expect(await turn.ended()).toMatchObject({ outcome: 'finished' })
  expect(await runningCommands(directory)).toEqual([])
  expect(await damageIn(store)).toEqual([])
})

test('An owner that was stopped past the limit in mid-turn writes nothing more when it goes on', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const [stopped, other] = await Promise.all([Host.open(home, { lease }), Host.open(home)])
  const slow = stopped.send(sessionID, 'sleep 2\nwrite late.txt: x')
  const { turnID } = await slow.stored()
  const sleepEnds = Date.now() + 2000
  await stop(stopped, home)
  const turn = other.send(sessionID, 'Taken over')
  expect(await turn.ended()).toMatchObject({ outcome: 'finished' })
  expect((await store.owners.get(sessionID))?.process.pid).toBe(other.pid)
  const before = await ownMessages(store, { id: sessionID })
  const stored = await store.turns.get(turnID)
  expect(stored).toMatchObject({ outcome: 'interrupted' })

  await until('the sleep of the stopped one to be over', () => Date.now() > sleepEnds)
  stopped.program.signal('SIGCONT')
  expect(await slow.ended()).toMatchObject({ outcome: 'interrupted' })
  expect(await ownMessages(store, { id: sessionID })).toEqual(before)
  expect(await store.turns.get(turnID)).toEqual(stored)

  const again = stopped.send(sessionID, 'Back in line')
  expect(await again.ended()).toMatchObject({ outcome: 'finished' })
  const reply = (await bough.messages(sessionID)).at(-1)?.text
  expect(reply).toContain('This is turn 3 on this line.')
  expect(reply).toContain('2. “Taken over”')
  expect(existsSync(join(directory, 'late.txt'))).toBe(false)
  expect(await damageIn(store)).toEqual([])
})

test('The command of an owner that was stopped past the limit is ended before the next turn runs', async () => {
  const { home, store, directory, sessionID } = await newGround()
  const [stopped, other] = await Promise.all([Host.open(home, { lease }), Host.open(home)])
  const slow = stopped.send(sessionID, `${runFor(600)}\nwrite late.txt: x`)
  await commandRuns(directory)
  await stop(stopped, home)
  const turn = other.send(sessionID, 'Taken over')
  await turn.stored()
  expect(await runningCommands(directory)).toEqual([])
  await turn.ended()
  const before = await ownMessages(store, { id: sessionID })

  stopped.program.signal('SIGCONT')
  expect(await slow.ended()).toMatchObject({ outcome: 'interrupted' })
  expect(await ownMessages(store, { id: sessionID })).toEqual(before)
  expect(existsSync(join(directory, 'late.txt'))).toBe(false)
})

test('An owner that was stopped while idle and lost its session just sends again when it goes on', async () => {
  const { home, bough, sessionID } = await newGround()
  const [stopped, other] = await Promise.all([Host.open(home, { lease }), Host.open(home)])
  await stopped.send(sessionID, 'One').ended()
  await stop(stopped, home)
  expect(await other.send(sessionID, 'Two').ended()).toMatchObject({ outcome: 'finished' })
  stopped.program.signal('SIGCONT')
  expect(await stopped.send(sessionID, 'Three').ended()).toMatchObject({ outcome: 'finished' })
  const reply = (await bough.messages(sessionID)).at(-1)?.text
  expect(reply).toContain('This is turn 3 on this line.')
  expect(reply).toContain('2. “Two”')
})

test('A session deleted while another process runs a turn in it: the turn ends there and writes nothing', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const host = await Host.open(home, { lease })
  const turn = host.send(sessionID, `${runFor(600)}\nwrite late.txt: x`)
  await commandRuns(directory)
  expect(await bough.remove(sessionID)).toEqual({ kept: false, workspace: null })
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })
  await commandGone(directory)
  expect(await ownMessages(store, { id: sessionID })).toEqual([])
  expect(await store.sessions.get(sessionID)).toBeNull()
  expect(await store.owners.get(sessionID)).toBeNull()
  expect(existsSync(join(directory, 'late.txt'))).toBe(false)
})

test('A turn adds nothing to the tombstone of its session either', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const host = await Host.open(home, { lease })
  await host.send(sessionID, 'Kept').ended()
  const kept = await ownMessages(store, { id: sessionID })
  const fork = await bough.fork(sessionID)
  const turn = host.send(sessionID, `${runFor(600)}\nwrite late.txt: x`)
  await commandRuns(directory)
  expect(await bough.remove(sessionID)).toEqual({ kept: true, workspace: null })
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })
  await commandGone(directory)
  expect(await ownMessages(store, { id: sessionID })).toEqual(kept)
  expect(await bough.messages(fork.id)).toEqual(kept)
  expect(await damageIn(store)).toEqual([])
})

test('Deleting a session ends the command of its agent, also when its owner is stopped and never goes on', async () => {
  const { home, bough, directory, sessionID } = await newGround()
  const host = await Host.open(home, { lease })
  host.send(sessionID, runFor(600))
  await commandRuns(directory)
  await stop(host, home)
  await bough.remove(sessionID)
  await host.program.kill()
  await openHere(home)
  await commandGone(directory)
})

test('Abort from another process closes the turn of an owner that is stopped past the limit', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const host = await Host.open(home, { lease })
  const turn = host.send(sessionID, runFor(600))
  const { turnID } = await turn.stored()
  await commandRuns(directory)
  await stop(host, home)
  expect(await bough.abort(sessionID)).toBe(true)
  expect(await store.turns.get(turnID)).toMatchObject({ outcome: 'interrupted' })
  expect(await runningCommands(directory)).toEqual([])
  const before = await ownMessages(store, { id: sessionID })
  host.program.signal('SIGCONT')
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })
  expect(await ownMessages(store, { id: sessionID })).toEqual(before)
})

test('The wish of a killed process to abort a turn does not outlive that turn', async () => {
  const { home, bough, store, sessionID } = await newGround()
  const [owner, asker] = await Promise.all([Host.open(home), Host.open(home)])
  const turn = owner.send(sessionID, 'sleep 600')
  await turn.stored()
  await stop(owner, home)
  asker.wishToAbort(sessionID)
  await until('the wish to be noted', async () => (await store.requests.of(sessionID)).length === 1)
  await asker.program.kill()
  owner.program.signal('SIGCONT')
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })
  await owner.reopen(home)
  expect(await store.owners.get(sessionID), 'its owner has let go').toBeNull()

  await (await bough.send(sessionID, 'Next')).ended
  expect(await store.requests.of(sessionID)).toEqual([])
})

/** Suspends a process, but never inside a transaction: there it would hold the lock of the whole store. */
async function stop(host: Host, home: Home): Promise<void> {
  await until('a moment between two transactions', () => {
    host.program.signal('SIGSTOP')
    if (!isLocked(storeFile(home.data))) return true
    host.program.signal('SIGCONT')
    return false
  })
}
