import { expect, test } from 'vitest'
import { commandGone, commandRuns, runFor, runUntilTold, tellToEnd } from './support/commands.ts'
import { damageIn } from './support/damage.ts'
import { newGround } from './support/ground.ts'
import { Host } from './support/host.ts'
import { waiting } from './support/waiting.ts'

test('Two processes take turns on one session: ownership moves, and each turn knows the one before', async () => {
  const { home, bough, store, sessionID } = await newGround()
  const hosts = await Promise.all([Host.open(home), Host.open(home)])
  let epoch = 0
  let turns = 0
  for (const host of [...hosts, ...hosts, ...hosts]) {
    turns += 1
    const began = Date.now()
    const turn = host.send(sessionID, `Remember number ${turns}`)
    await turn.stored()
    expect(Date.now() - began, 'an idle owner hands over soon').toBeLessThan(5000)
    expect(await turn.ended()).toMatchObject({ outcome: 'finished' })

    const owner = await store.owners.get(sessionID)
    expect(owner?.process.pid).toBe(host.pid)
    expect(owner?.epoch).toBeGreaterThan(epoch)
    epoch = owner?.epoch ?? 0
    const reply = (await bough.messages(sessionID)).at(-1)?.text
    expect(reply).toContain(`This is turn ${turns} on this line.`)
    for (let earlier = 1; earlier < turns; earlier++) {
      expect(reply).toContain(`${earlier}. “Remember number ${earlier}”`)
    }
  }
})

test('A turn wanted elsewhere waits for the end of the one that runs, then knows it', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const [busy, other] = await Promise.all([Host.open(home), Host.open(home)])
  const first = busy.send(sessionID, `${runUntilTold}\nThe first`)
  await commandRuns(directory)
  const second = other.send(sessionID, 'The second')
  await waiting(store, sessionID, 1)
  expect(second.isStored()).toBe(false)
  await tellToEnd(directory)
  expect(await first.ended()).toMatchObject({ outcome: 'finished' })
  expect(await second.ended()).toMatchObject({ outcome: 'finished' })

  const line = await bough.messages(sessionID)
  expect(line.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ])
  expect(line.at(-1)?.text).toContain('This is turn 2 on this line. You just told me: “The second”.')
  expect(line.at(-1)?.text).toContain('The first”')
  expect(await store.requests.of(sessionID)).toEqual([])
})

test('Turns of three processes that wait are served in the order in which they asked', async () => {
  const { home, bough, store, sessionID } = await newGround()
  const busy = await Host.open(home)
  const waiters = await Promise.all([Host.open(home), Host.open(home), Host.open(home)])
  const first = busy.send(sessionID, 'sleep 600')
  await first.stored()
  const turns = []
  for (const [i, waiter] of waiters.entries()) {
    turns.push(waiter.send(sessionID, `Waiter ${i}`))
    await waiting(store, sessionID, i + 1)
  }
  expect(turns.map((turn) => turn.isStored())).toEqual([false, false, false])
  expect(await busy.abort(sessionID)).toBe(true)
  for (const turn of turns) expect(await turn.ended()).toMatchObject({ outcome: 'finished' })

  const prompts = (await bough.messages(sessionID)).filter(({ role }) => role === 'user')
  expect(prompts.map(({ text }) => text)).toEqual(['sleep 600', 'Waiter 0', 'Waiter 1', 'Waiter 2'])
})

test('A waiting process that is killed leaves its place in line', async () => {
  const { home, store, sessionID } = await newGround()
  const [busy, doomed, next] = await Promise.all([Host.open(home), Host.open(home), Host.open(home)])
  const first = busy.send(sessionID, 'sleep 600')
  await first.stored()
  doomed.send(sessionID, 'Never said')
  await waiting(store, sessionID, 1)
  const turn = next.send(sessionID, 'Said')
  await waiting(store, sessionID, 2)
  await doomed.program.kill()
  await busy.abort(sessionID)
  expect(await turn.ended()).toMatchObject({ outcome: 'finished' })
  expect(await store.requests.of(sessionID)).toEqual([])
})

test('Abort from another process ends a turn that sleeps', async () => {
  const { home, bough, store, sessionID } = await newGround()
  const [here, there] = await Promise.all([Host.open(home), Host.open(home)])
  const turn = here.send(sessionID, 'sleep 600')
  await turn.stored()
  expect(await there.abort(sessionID)).toBe(true)
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })

  expect((await bough.messages(sessionID)).at(-1)).toMatchObject({ role: 'system', status: 'interrupted' })
  expect(await damageIn(store)).toEqual([])
  expect(await store.requests.of(sessionID)).toEqual([])
  expect(await there.abort(sessionID), 'nothing runs any more').toBe(false)
})

test('Abort from another process ends the command that the agent runs', async () => {
  const { home, bough, store, directory, sessionID } = await newGround()
  const [here, there] = await Promise.all([Host.open(home), Host.open(home)])
  const turn = here.send(sessionID, runFor(600))
  await commandRuns(directory)
  expect(await there.abort(sessionID)).toBe(true)
  expect(await turn.ended()).toMatchObject({ outcome: 'interrupted' })
  await commandGone(directory)

  const { turnID } = await turn.stored()
  expect(await store.turns.get(turnID)).toMatchObject({ outcome: 'interrupted' })
  const [, call, result, notice] = await bough.messages(sessionID)
  expect(call?.parts).toMatchObject([{ type: 'tool-call', name: 'run' }])
  expect(result?.parts).toMatchObject([{ type: 'tool-result', name: 'run', exitCode: 1 }])
  expect([result?.status, notice?.status]).toEqual(['interrupted', 'interrupted'])
  expect(await damageIn(store)).toEqual([])
})
