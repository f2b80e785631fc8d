import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SessionID } from '../../src/tree/ids.ts'
import { servingOf } from './agent-processes.ts'
import { type ChannelAgent, type Ground, type Heard, openGround, timesIn, told, wordsIn } from './comeback.ts'
import { variants } from './size.ts'
import { until } from './until.ts'

/** That a request goes on from another: so far the model has it in its cache. */
function expectToGoOnFrom(request: Heard, earlier: Heard): void {
  expect(request.system).toBe(earlier.system)
  expect(request.tools).toBe(earlier.tools)
  expect(request.messages.slice(0, earlier.messages.length)).toEqual(earlier.messages)
  expect(request.messages.length).toBeGreaterThan(earlier.messages.length)
}

const call = (tool: string, args: unknown = {}): string => `use ${tool} ${JSON.stringify(args)}`

const ping = call('ping_user', { text: 'the run has found a heron' })

const card = call('send_embed', {
  title: 'A heron',
  body: 'It stands in the reeds.',
  buttons: [{ label: 'Look closer', prompt: 'Look at its beak.' }],
})

/** Something said in main while a run goes on, or after it. */
const meanwhile = 'meanwhile in main'

/** Without what the agents' own words and results are. */
const prompts = (request: Heard): readonly string[] =>
  wordsIn(request).flatMap((line) => /^user: (?!<tool_result)(.*)$/s.exec(line)?.[1] ?? [])

async function openFork({ forkID }: Ground): Promise<SessionID> {
  const id = await forkID()
  if (id === null) throw new Error('no fork is open')
  return id
}

const resultsIn = async ({ bough }: Ground, id: SessionID) =>
  (await bough.messages(id)).flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))

const signal = (agent: ChannelAgent, name: NodeJS.Signals): void => {
  const found = servingOf(agent)
  expect(found).not.toEqual([])
  for (const pid of found) process.kill(pid, name)
}

/** A run reports, and the agent is killed over the next prompt, before it has that. */
async function reportThenKill({ bough, say, run, mainID, forkID, ends, agent }: Ground): Promise<void> {
  await run(call('report_updates', { message: 'the news' }))
  const before = agent.heard().length
  signal(agent, 'SIGSTOP')
  const saying = say('into the void')
  const id = (await forkID()) ?? (await mainID())
  await until(
    'the prompt to be stored',
    async () => (await bough.messages(id)).at(-1)?.text === 'into the void',
  )
  // It is handed over right after that.
  await new Promise((resolve) => setTimeout(resolve, 300))
  signal(agent, 'SIGKILL')
  await saying
  expect(ends.at(-1)).toMatchObject({ outcome: 'failed' })
  expect(agent.heard()).toHaveLength(before)
}

/** What holds for forks that come back with every agent that we drive: what the model receives proves it. */
export function describeComeback(name: string, real: () => Promise<ChannelAgent>): void {
  describe(`forks that come back, with ${name}`, () => {
    it('a run is answered, and reports: the fork knows what the run did, main knows the report and nothing else', async () => {
      const ground = await openGround(real)
      const { bough, say, run, sentOf, newest } = ground
      await say('alpha')
      const main = newest()
      await run(call('report_updates', { message: 'first news' }))
      const pinging = await run(ping)
      expect(pinging).toMatchObject({ outcome: 'finished', pinged: true, reported: false })
      const itsLast = newest()
      const message = await sentOf('message')
      await say('who told you?')
      expect(timesIn(newest(), 'first news')).toBe(1)
      await run(call('report_updates', { message: 'second news' }))
      await say('And then?', message)
      const forkID = await openFork(ground)
      expect((await bough.session(forkID)).parentID).toBe(pinging.sessionID)

      const answered = newest()
      expectToGoOnFrom(answered, itsLast)
      expect(prompts(answered)).toEqual(['alpha', ping, 'And then?'])
      expect(answered.last).toContain('the person has replied to a message that you sent')
      expect(answered.last).toContain('> the run has found a heron')
      expect(answered.last).toMatch(/Waiting for the main conversation:\n- .*: second news\n/)
      expect(timesIn(answered, 'who told you?')).toBe(0)

      await say(call('report_updates', { message: 'third news' }))
      expect(await ground.forkID()).toBeNull()
      expect((await sentOf('ended')).what).toMatchObject({ outcome: 'reported' })
      expect((await bough.updates()).map(({ text }) => text)).toEqual(['second news', 'third news'])
      await say('What news?')
      expectToGoOnFrom(newest(), main)
      expect(wordsIn(newest())).toEqual([...told('alpha', 'who told you?'), 'user: What news?'])
      expect(newest().last).toMatch(/Forks have reported:\n- .*: second news\n- .*: third news\n<\/bough>/)
      expect(timesIn(newest(), 'heron')).toBe(0)
      expect(await bough.updates()).toEqual([])
      await say('Anything else?')
      for (const news of ['first news', 'second news', 'third news']) expect(timesIn(newest(), news)).toBe(1)
    })

    it('a run that the model starts is answered, and saved: main goes on from the fork', async () => {
      const ground = await openGround(real)
      const { bough, say, sentOf, runEnded, newest } = ground
      await say('alpha')
      const [main, before] = [newest(), await ground.mainID()]
      await say(call('run_background', { prompt: card }))
      expect(await runEnded()).toMatchObject({ origin: 'agent', outcome: 'finished', pinged: true })
      const itsLast = ground.agent.heard().findLast((each) => prompts(each).includes(card))
      if (!itsLast) throw new Error('no run')
      expectToGoOnFrom(itsLast, main)
      expect(prompts(itsLast)).toEqual(['alpha', card])
      await say(meanwhile)
      await say('And then?', await sentOf('embed'))
      expectToGoOnFrom(newest(), itsLast)
      expect(prompts(newest())).toEqual(['alpha', card, 'And then?'])
      const forkID = await ground.forkID()
      await say(call('save_context'))
      expect(await ground.forkID()).toBeNull()
      expect(await ground.mainID()).toBe(forkID)
      expect((await sentOf('ended')).what).toMatchObject({
        outcome: 'saved',
        words: expect.stringMatching(
          new RegExp(`\\d messages stay on the branch that was main before, ${before}`),
        ),
      })
      const saved = newest()
      await say('Where are we?')
      expectToGoOnFrom(newest(), saved)
      expect(prompts(newest())).toEqual(['alpha', card, 'And then?', call('save_context'), 'Where are we?'])
      expect(newest().last).not.toContain('fork')
      expect((await bough.messages(before)).map(({ text }) => text)).toContain(`heard: ${meanwhile}`)
    })

    it('the model cannot leave a fork of the person in the turn of its topic, but its own it can', async () => {
      const ground = await openGround(real)
      const { say, does, newest, sentOf } = ground
      const topic = `Look at herons.\n${call('exit_fork')}`
      await does({ kind: 'fork', topic })
      const forkID = await openFork(ground)
      expect(newest().last).toContain('work on it first')
      expect(await resultsIn(ground, forkID)).toMatchObject([{ exitCode: 1 }])
      const first = ground.agent.heard().find((each) => each.last.endsWith(topic))
      expect(first?.last).toContain('do not leave the fork in\nthe turn in which you are given it')
      await say(call('exit_fork'))
      expect(await ground.forkID()).toBeNull()
      await say(call('enter_fork', { topic }))
      expect((await sentOf('ended')).what).toMatchObject({ outcome: 'discarded' })
      expect(await ground.forkID()).toBeNull()
    })

    it('the model opens a fork with a topic: it begins after the turn, and works on it', async () => {
      const ground = await openGround(real)
      const { say, newest, sentOf } = ground
      const topic = 'Look at herons.'
      await say(call('exit_fork'))
      expect(newest().last).toContain('You are not in a fork')
      await say(call('enter_fork', { topic }))
      const forkID = await openFork(ground)
      expect((await sentOf('entered')).what).toMatchObject({ topic })
      const requests = ground.agent.heard()
      const main = requests.find((each) => each.last.includes('A fork begins after this turn'))
      const first = requests.find((each) => each.last.endsWith(topic))
      if (!main || !first) throw new Error('no such requests')
      expectToGoOnFrom(first, main)
      expect(first.last).toContain('[fork-started]')
      expect(first.last).not.toContain('do not leave')
      expect(ground.ends.map(({ outcome }) => outcome)).toEqual(['finished', 'finished', 'finished'])
      await say('And on')
      expect(await ground.forkID()).toBe(forkID)
      expect(prompts(newest()).slice(-2)).toEqual([topic, 'And on'])
      expect(newest().last).not.toContain('[fork-started]')
      await say(call('exit_fork'))
      expect(await ground.forkID()).toBeNull()
      expect((await sentOf('ended')).what).toMatchObject({ outcome: 'discarded' })
      await say('back')
      expectToGoOnFrom(newest(), main)
      expect(prompts(newest())).toEqual([call('exit_fork'), call('enter_fork', { topic }), 'back'])
    })

    it('main and its forks begin alike, byte for byte, also when their agents are opened anew', async () => {
      const ground = await openGround(real, { idleAfter: 1 })
      const { say, does, run, newest, connections, agent } = ground
      const letGo = () => until('the agent to be let go', () => connections.open === 0)
      await say('alpha')
      const main = newest()
      await letGo()
      await run('in the run')
      expectToGoOnFrom(newest(), main)
      expect(wordsIn(newest())).toEqual([...told('alpha'), 'user: in the run'])
      await does({ kind: 'fork' })
      await say('in the fork')
      expectToGoOnFrom(newest(), main)
      expect(wordsIn(newest())).toEqual([...told('alpha'), 'user: in the fork'])
      await letGo()
      await say('again')
      await does({ kind: 'exit', action: 'discard', forkID: (await ground.forkID()) ?? ('' as never) })
      await say('beta')
      expectToGoOnFrom(newest(), main)
      expect(wordsIn(newest())).toEqual([...told('alpha'), 'user: beta'])
      const all = agent.heard()
      expect(new Set(all.map(({ system }) => system)).size).toBe(1)
      expect(new Set(all.map(({ tools }) => tools)).size).toBe(1)
      expect(ground.systemPrompts.size).toBe(1)
      expect(all[0]?.system).toContain('You talk with the person through bough')
      for (const tool of ['enter_fork', 'run_background', 'ping_user', 'cancel_schedule'])
        expect(all[0]?.tools).toContain(tool)
    })

    it('updates are delivered with a turn that fails at the model: the agent has them', async () => {
      const { bough, say, run, newest, ends } = await openGround(real)
      await say('alpha')
      await run(call('report_updates', { message: 'the news' }))
      await say('status 500')
      expect(ends.at(-1)).toMatchObject({ outcome: 'failed' })
      expect(timesIn(newest(), 'the news')).toBe(1)
      expect(await bough.updates()).toEqual([])
      await say('again')
      expect(ends.at(-1)).toMatchObject({ outcome: 'finished' })
      expect(timesIn(newest(), 'the news')).toBe(1)
      // Claude makes one message of both prompts.
      expect(newest().last.split('status 500').at(-1)).not.toContain('the news')
    })

    it('updates wait again when the agent cannot be started', async () => {
      const { bough, say, run, newest, ends, connections, agent } = await openGround(real, { idleAfter: 1 })
      await say('alpha')
      await run(call('report_updates', { message: 'the news' }))
      await until('the agent to be let go', () => connections.open === 0)
      connections.isProgramThere = false
      const before = agent.heard().length
      await say('into the void')
      expect(ends.at(-1)).toMatchObject({ outcome: 'failed' })
      expect(agent.heard()).toHaveLength(before)
      expect((await bough.updates()).map(({ text }) => text)).toEqual(['the news'])
      connections.isProgramThere = true
      await say('again')
      expect(timesIn(newest(), 'the news')).toBe(1)
      expect(timesIn(newest(), 'into the void')).toBe(1)
      expect(newest().last).toMatch(
        /into the void.*Forks have reported:\n- .*: the news\n<\/bough>\n\nagain$/s,
      )
      expect(await bough.updates()).toEqual([])
    })

    it('updates of a turn in which the agent is killed after it had the prompt are told once', async () => {
      const { say, run, newest, ends, agent } = await openGround(real)
      await say('alpha')
      await run(call('report_updates', { message: 'the news' }))
      const saying = say('hang')
      await until('the model to be asked', () => newest().last.endsWith('hang'))
      signal(agent, 'SIGKILL')
      await saying
      expect(ends.at(-1)).toMatchObject({ outcome: 'failed' })
      await say('again')
      expect(ends.at(-1)).toMatchObject({ outcome: 'finished' })
      expect(timesIn(newest(), 'the news')).toBe(1)
      expect(
        prompts(newest())
          .join('|')
          .split('|')
          .filter((each) => /hang$/.test(each)),
      ).toHaveLength(1)
    })

    const killedBefore: readonly (readonly [string, () => Promise<void>])[] = [
      [
        'of a turn in which the agent is killed before it had the prompt are told with the next',
        async () => {
          const ground = await openGround(real)
          const { bough, say, newest, ends } = ground
          await say('alpha')
          await reportThenKill(ground)
          await say('again')
          expect(ends.at(-1)).toMatchObject({ outcome: 'finished' })
          expect(timesIn(newest(), 'the news')).toBe(1)
          expect(timesIn(newest(), 'into the void')).toBe(1)
          expect(newest().last).toContain('the news')
          expect(await bough.updates()).toEqual([])
        },
      ],
      [
        'of a turn in which the agent is killed before it had the prompt are in a fork that is made next, and saved',
        async () => {
          const ground = await openGround(real)
          const { does, say, newest } = ground
          await say('alpha')
          await reportThenKill(ground)
          await does({ kind: 'fork' })
          await say('in the fork')
          await does({ kind: 'exit', action: 'save', forkID: await openFork(ground) })
          await say('What news?')
          expect(timesIn(newest(), 'into the void')).toBe(1)
          expect(timesIn(newest(), 'the news')).toBe(1)
        },
      ],
      [
        'that a fork was to be shown when its agent was killed are told when it is saved',
        async () => {
          const ground = await openGround(real)
          const { does, say, newest } = ground
          await say('alpha')
          await does({ kind: 'fork' })
          await say('in the fork')
          await reportThenKill(ground)
          await does({ kind: 'exit', action: 'save', forkID: await openFork(ground) })
          await say('What news?')
          expect(timesIn(newest(), 'into the void')).toBe(1)
          expect(timesIn(newest(), 'the news')).toBe(1)
        },
      ],
    ]
    it.each(variants(killedBefore))('updates %s', (_, prove) => prove())

    it('a run may use the allowed tools only, and the list of tools stays the same', async () => {
      const ground = await openGround(real)
      const { run, say, newest, project } = ground
      await say('alpha')
      const main = newest()
      const { sessionID, outcome } = await run('run touch made.txt', ['read'])
      expect(outcome).toBe('finished')
      expectToGoOnFrom(newest(), main)
      expect(await resultsIn(ground, sessionID)).toMatchObject([
        { exitCode: 1, output: expect.stringContaining('this run may not use that tool') },
      ])
      expect(existsSync(join(project, 'made.txt'))).toBe(false)
      // Codex alone would run this without asking.
      const listing = await run('run ls', ['write'])
      expect(await resultsIn(ground, listing.sessionID)).toMatchObject([
        { exitCode: 1, output: expect.stringContaining('this run may not use that tool') },
      ])
      await run('run touch allowed.txt', ['run'])
      expect(existsSync(join(project, 'allowed.txt'))).toBe(true)
    })

    it('a run has none of the grants of main; what it asks is parked, and can be answered', async () => {
      const ground = await openGround(real, { permissions: {} })
      const { bough, say, asked, project, newest } = ground
      const answering = say('run touch main.txt')
      const [first] = await until('main to ask', async () => {
        const waiting = await bough.permissions()
        return waiting.length > 0 && waiting
      })
      if (!first) throw new Error('nothing is asked')
      await bough.answer(first.id, { allow: true, scope: 'tool' })
      await answering
      expect(existsSync(join(project, 'main.txt'))).toBe(true)
      const run = ground.run('run touch made.txt')
      const parked = await until('the run to ask', () => asked[1])
      expect(parked).toMatchObject({ tool: 'run', detail: 'touch made.txt', state: 'asked' })
      expect(await bough.permissions()).toMatchObject([{ id: parked.id }])
      await say('while it waits')
      expect(wordsIn(newest()).at(-1)).toBe('user: while it waits')
      expect(existsSync(join(project, 'made.txt'))).toBe(false)
      await bough.answer(parked.id, { allow: true })
      expect(await run).toMatchObject({ outcome: 'finished' })
      expect(existsSync(join(project, 'made.txt'))).toBe(true)
    })

    it("a click on a run's button goes on with the run", async () => {
      const ground = await openGround(real)
      const { bough, say, does, run, sentOf, newest } = ground
      await say('alpha')
      const { sessionID } = await run(card)
      const itsLast = newest()
      await say(meanwhile)
      const { what } = await sentOf('embed')
      expect(what).toMatchObject({ title: 'A heron', body: 'It stands in the reeds.' })
      const [button] = what.buttons
      if (!button) throw new Error('no button')
      expect(await ground.forkID()).toBeNull()
      await does({ kind: 'click', inquiryID: button.inquiryID })
      const forkID = await openFork(ground)
      expect((await bough.session(forkID)).parentID).toBe(sessionID)
      expectToGoOnFrom(newest(), itsLast)
      expect(prompts(newest())).toEqual(['alpha', card, '[button] Look at its beak.'])
      expect(newest().last).toContain('the person has clicked a button that you sent')
      await expect(does({ kind: 'click', inquiryID: button.inquiryID })).rejects.toThrow('used already')
    })
  })
}
