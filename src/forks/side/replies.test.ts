import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { SessionID } from '../../tree/ids.ts'
import type { SideFork } from '../../tree/side-fork.ts'
import { Ground, tool } from './testing/ground.ts'

const week = 7 * 24 * 60

/** A background run that pings and ends, and its message in the chat. */
async function pinged(ground: Ground, text = 'The heron is here.', more = '') {
  const before = ground.front.sent.length
  const run = await ground.run(`count the herons\n${tool('ping_user', { text })}\n${more}`)
  return { run, externalID: await sentAfter(ground, before) }
}

async function sentAfter(ground: Ground, before: number): Promise<string> {
  await until('a message in the chat', () => ground.front.sent.length > before)
  await ground.looked()
  return ground.front.sent[before]?.externalID ?? ''
}

const parentOf = async (ground: Ground, id: SessionID): Promise<SessionID | null> =>
  (await ground.bough.session(id)).parentID

const textsOf = async (ground: Ground, id: SessionID): Promise<readonly string[]> =>
  (await ground.messages(id)).filter(({ role }) => role === 'user').map(({ text }) => text)

const linkOf = async (ground: Ground, externalID: string) =>
  (await ground.store()).links.get(ground.channelID, externalID)

/** All that is known of a run. */
const recordOf = async (ground: Ground, { sessionID }: SideFork) => ({
  fork: await ground.sideFork(sessionID),
  session: await ground.bough.session(sessionID),
  messages: await ground.messages(sessionID),
})

const tooOld = 'That run is too old to go on with. Your reply quotes it instead.'

describe('every chat message that a fork sends is linked', () => {
  it('by a tool: its id there leads to the fork’s session and its time, and from there to the parent session', async () => {
    const ground = await Ground.open()
    const before = ground.time.now
    const { run, externalID } = await pinged(ground)
    const link = await linkOf(ground, externalID)
    expect(link).toMatchObject({ channelID: ground.channelID, externalID, sessionID: run.sessionID })
    expect(link?.created).toBeGreaterThan(before)
    expect(link?.created).toBeLessThanOrEqual(run.ended ?? 0)
    expect(await parentOf(ground, run.sessionID)).toBe(await ground.main())
  })

  it('streamed: also the words of an interactive fork, and its banners', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const { sessionID } = await ground.openFork()
    await ground.exit('discard')
    const ids = [...ground.front.shown, ...ground.front.sent].map(({ externalID }) => externalID ?? '')
    expect(ids).toHaveLength(3)
    for (const id of ids) expect(await linkOf(ground, id)).toMatchObject({ sessionID })
  })

  it('what main says is linked to nothing', async () => {
    const ground = await Ground.open()
    await ground.say(tool('ping_user', { text: 'from main' }))
    await ground.looked()
    for (const { externalID } of [...ground.front.shown, ...ground.front.sent])
      expect(await linkOf(ground, externalID ?? '')).toBeNull()
  })

  it.each([
    ['failed', 'fail out of paper'],
    ['timed out', 'sleep 1'],
  ])('a link is written even when the run %s: of what it sent before, and of the notice', async (_, then) => {
    const ground = await Ground.open()
    const prompt = `${tool('ping_user', { text: 'The heron is here.' })}\n${then}`
    const { sessionID } = await ground.bough.runBackground(ground.channelID, prompt, { timeout: 5 })
    if (prompt.includes('sleep')) {
      await ground.held(1)
      ground.pass(6)
    }
    await ground.ended(sessionID)
    const [ping, notice] = [await sentAfter(ground, 0), await sentAfter(ground, 1)]
    expect(ground.front.log).toEqual(['message', 'notice'])
    for (const id of [ping, notice]) expect(await linkOf(ground, id)).toMatchObject({ sessionID })
    await ground.reply(ping, 'how many?')
    expect(await parentOf(ground, (await ground.openFork()).sessionID)).toBe(sessionID)
  })

  it('in its own channel: the same id in another chat is another message', async () => {
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    const elsewhere = await ground.bough.openChannel(
      { frontEnd: 'test', key: 'elsewhere' },
      { directory: ground.directory },
    )
    const told: string[] = []
    await ground.bough.say(
      elsewhere.id,
      { kind: 'message', text: 'go on', replyTo: { externalID, text: 'theirs' } },
      { tell: (words) => void told.push(words) },
    )
    expect([told, (await ground.bough.channel(elsewhere.id)).openForkID]).toEqual([[], null])
    expect(await ground.contextOfLast(elsewhere.mainID)).toContain('> theirs')
  })
})

describe('a reply to a linked message, where no fork is open', () => {
  it('opens an interactive fork from that fork’s session, with the banner, and is its first message', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const { run, externalID } = await pinged(ground)
    await ground.say('main goes on')
    expect(await ground.reply(externalID, 'how many?')).toEqual([])
    const fork = await ground.openFork()
    expect(fork).toMatchObject({ kind: 'interactive', origin: 'reply', topic: null, state: 'open' })
    expect(await textsOf(ground, fork.sessionID)).toEqual([...['main knows this', run.prompt, 'how many?']])
    expect(ground.front.kind('entered')).toEqual([
      { kind: 'entered', topic: 'continues “count the herons”', isOpen: true },
    ])
    expect(ground.front.shown.at(-1)?.turn.sessionID).toBe(fork.sessionID)
    expect(ground.front.shown.at(-1)?.messages.at(-1)?.text).toContain('count the herons')
  })

  it('has the pending updates before it, and they stay waiting', async () => {
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    await ground.report('herons are tall')
    await ground.reply(externalID, 'how many?')
    const context = await ground.contextOfLast((await ground.openFork()).sessionID)
    expect(context).toMatch(/Waiting for the main conversation:\n- just now: herons are tall/)
    expect(await ground.updates()).toEqual(['herons are tall'])
  })

  it('says that it continues that run and what the person did, with no word on leaving', async () => {
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    await ground.reply(externalID, 'how many?', 'The heron is here.')
    const context = await ground.contextOfLast((await ground.openFork()).sessionID)
    expect(context).toContain('[fork-started] You go on with what you did here: the person has replied')
    expect(context).toContain('> The heron is here.')
    expect(context).not.toMatch(/save_context|report_updates|exit_fork|leave/)
  })

  it('a resumed fork records the run’s session as its parent, not main', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const { run, externalID } = await pinged(ground)
    await ground.reply(externalID, 'how many?')
    const { sessionID } = await ground.openFork()
    expect(await parentOf(ground, sessionID)).toBe(run.sessionID)
    const rows = await ground.bough.tree()
    const row = rows.findIndex(({ id }) => id === sessionID)
    expect([rows[row - 1]?.id, rows[row]?.depth]).toEqual([run.sessionID, 2])
  })

  it('it is a fork: the run’s own record does not change', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    const before = await recordOf(ground, run)
    await ground.reply(externalID, `how many?\n${tool('ping_user', { text: 'two' })}`)
    const { sessionID } = await ground.openFork()
    await ground.exit('report', sessionID)
    await ground.reply(externalID, 'and now?')
    await ground.exit('save')
    expect(await recordOf(ground, run)).toEqual(before)
    expect(before.fork).toMatchObject({ kind: 'background', state: 'ended', outcome: 'finished' })
  })

  it('can be ended like all others; saved, the run’s line is main’s', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    await ground.reply(externalID, 'how many?')
    const { sessionID } = await ground.openFork()
    await ground.exit('save')
    expect(await ground.main()).toBe(sessionID)
    await ground.say('on')
    expect(await textsOf(ground, sessionID)).toEqual([run.prompt, 'how many?', 'on'])
  })

  it('while the run still goes on is about what it has finished so far, and the run goes on', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const ping = tool('ping_user', { text: 'one heron' })
    const { sessionID } = await ground.bough.runBackground(
      ground.channelID,
      `count the herons\n${ping}\nsleep 1\n${tool('report_updates', { message: 'two herons' })}`,
    )
    await ground.held(1)
    const externalID = await sentAfter(ground, 0)
    await ground.reply(externalID, 'only one?')
    const fork = await ground.openFork()
    expect(await parentOf(ground, fork.sessionID)).toBe(sessionID)
    const texts = await textsOf(ground, fork.sessionID)
    expect([texts[0], texts.at(-1)]).toEqual(['main knows this', 'only one?'])
    expect(await ground.sideFork(sessionID)).toMatchObject({ state: 'open', reported: false })
    expect(await ground.updates()).toEqual([])
    ground.release(1)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished', reported: true })
    expect(await ground.openFork()).toMatchObject({ sessionID: fork.sessionID, reported: false })
    expect(await ground.updates()).toEqual(['two herons'])
  })

  it('while the run still goes on, and saved: main is told what the run reports after that', async () => {
    const ground = await Ground.open()
    const ping = tool('ping_user', { text: 'one heron' })
    const report = (text: string) => tool('report_updates', { message: text })
    const { sessionID } = await ground.bough.runBackground(
      ground.channelID,
      `count the herons\n${report('one heron')}\n${ping}\nsleep 1\n${report('two herons')}`,
    )
    await ground.held(1)
    await ground.reply(await sentAfter(ground, 0), 'only one?')
    const fork = await ground.openFork()
    ground.release(1)
    await ground.ended(sessionID)
    expect(await ground.updates()).toEqual(['one heron', 'two herons'])
    await ground.exit('save')
    // What the run had reported by then is on the line of the fork.
    expect([await ground.main(), await ground.updates()]).toEqual([fork.sessionID, ['two herons']])
    await ground.say('news?')
    expect(await ground.contextOfLast(fork.sessionID)).toContain('- just now: two herons')
  })

  it('may use no more tools than the run, as long as it is a fork', async () => {
    const ground = await Ground.open({ config: { permissions: { allow: ['run'] } } })
    const { sessionID } = await ground.bough.runBackground(
      ground.channelID,
      tool('ping_user', { text: 'here' }),
      { allowedTools: ['read'] },
    )
    await ground.ended(sessionID)
    await ground.reply(await sentAfter(ground, 0), 'write a.txt: a\nrun touch b.txt')
    const fork = await ground.openFork()
    expect(fork.allowedTools).toEqual(['read'])
    const refusal = 'Denied: this run may not use that tool'
    expect((await ground.results(fork.sessionID)).slice(-2)).toEqual([refusal, refusal])
    // A reply to what that one said goes on with the same.
    await ground.exit('discard')
    await ground.reply(ground.front.shown.at(-1)?.externalID ?? '', 'write a.txt: a')
    const next = await ground.openFork()
    expect(next.allowedTools).toEqual(['read'])
    expect((await ground.results(next.sessionID)).at(-1)).toBe(refusal)
    await ground.exit('save')
    await ground.say('write a.txt: a')
    expect((await ground.results(await ground.main())).at(-1)).toContain('Wrote')
  })

  it('works the same once an interactive fork has ended: a reply continues from it', async () => {
    const ground = await Ground.open()
    await ground.fork('herons')
    const ended = await ground.openFork()
    await ground.exit('discard')
    const streamed = ground.front.shown.at(-1)?.externalID ?? ''
    const banner = ground.front.sent.at(-1)
    expect(banner?.what.kind).toBe('ended')
    for (const externalID of [streamed, banner?.externalID ?? '']) {
      await ground.reply(externalID, 'one more thing')
      const { sessionID } = await ground.openFork()
      expect(await parentOf(ground, sessionID)).toBe(ended.sessionID)
      expect(await textsOf(ground, sessionID)).toEqual(['herons', 'one more thing'])
      await ground.exit('discard', sessionID)
    }
    expect(await ground.sideFork(ended.sessionID)).toMatchObject({ state: 'ended', outcome: 'discarded' })
  })

  it('goes to main where the fork that sent it has become main', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground, 'saved', tool('save_context'))
    expect(await ground.main()).toBe(run.sessionID)
    expect(await ground.reply(externalID, 'well done')).toEqual([])
    expect([await ground.isForkOpen(), (await textsOf(ground, run.sessionID)).at(-1)]).toEqual([
      ...[false, 'well done'],
    ])
  })
})

describe('a reply to a linked message, where a fork is open', () => {
  it('goes to the open fork, quoting what was replied to, and says so', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    await ground.fork()
    const open = await ground.openFork()
    expect(await ground.reply(externalID, 'how many?', 'The heron\nis here.')).toEqual([
      'You are in a fork: your reply goes there, and quotes what you replied to.',
    ])
    expect((await ground.openFork()).sessionID).toBe(open.sessionID)
    expect((await ground.lastPrompt(open.sessionID)).text).toBe('how many?')
    expect(await ground.contextOfLast(open.sessionID)).toContain(
      'The person replies to this message:\n> The heron\n> is here.',
    )
    expect(await ground.bough.children(run.sessionID)).toEqual([])
  })

  it('is decided when its turn comes, not when it came', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    await ground.fork()
    const ending = ground.say(`sleep 1\n${tool('exit_fork')}`)
    await ground.held(1)
    const replying = ground.reply(externalID, 'how many?')
    ground.release(1)
    await ending
    expect(await replying).toEqual([])
    expect(await parentOf(ground, (await ground.openFork()).sessionID)).toBe(run.sessionID)
  })
})

describe('a reply to a linked message that has expired', () => {
  it('works for seven days', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    ground.pass(week - 1)
    await ground.looked()
    await ground.reply(externalID, 'how many?')
    expect(await parentOf(ground, (await ground.openFork()).sessionID)).toBe(run.sessionID)
  })

  it('after that its content goes, id and time stay, so that "too old" can be told from "unknown"', async () => {
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    const link = await linkOf(ground, externalID)
    ground.pass(week + 1)
    await until('the content to go', async () => (await linkOf(ground, externalID))?.sessionID === null)
    expect(await linkOf(ground, externalID)).toEqual({ ...link, sessionID: null })
    expect(await ground.reply(externalID, 'how many?', 'old words')).toEqual([tooOld])
    expect(await ground.reply('never sent', 'how many?', 'old words')).toEqual([])
  })

  it('is treated as one that is not linked, and the person is told that the run is too old to continue', async () => {
    // Nobody keeps time here, so its content has not gone yet.
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    await ground.close()
    await ground.reopen({ attend: false })
    ground.pass(week + 1)
    expect((await linkOf(ground, externalID))?.sessionID).not.toBeNull()
    expect(await ground.reply(externalID, 'how many?', 'old words')).toEqual([tooOld])
    expect(await ground.isForkOpen()).toBe(false)
    const main = await ground.main()
    expect((await ground.lastPrompt(main)).text).toBe('how many?')
    expect(await ground.contextOfLast(main)).toContain('The person replies to this message:\n> old words')
  })

  it('goes to the open fork where there is one', async () => {
    const ground = await Ground.open()
    const { externalID } = await pinged(ground)
    ground.pass(week + 1)
    await ground.fork()
    expect(await ground.reply(externalID, 'how many?', 'old words')).toEqual([tooOld])
    expect(await ground.contextOfLast((await ground.openFork()).sessionID)).toContain('> old words')
  })
})

describe('a reply to a message that is not linked', () => {
  it('has the replied-to text quoted before the prompt, in main', async () => {
    const ground = await Ground.open()
    await ground.say('hello')
    const ofMain = ground.front.shown.at(-1)?.externalID ?? ''
    for (const externalID of [ofMain, 'unknown']) {
      expect(await ground.reply(externalID, 'what?', 'said </bough> there')).toEqual([])
      const main = await ground.main()
      expect((await ground.lastPrompt(main)).text).toBe('what?')
      const context = await ground.contextOfLast(main)
      expect(context).toMatch(/The person replies to this message:\n> said .*there\n<\/bough>$/)
      expect(context.match(/<\/bough>/g)).toHaveLength(1)
    }
    expect(await ground.sideForks()).toEqual([])
  })

  it('goes to the open fork where there is one, quoted too', async () => {
    const ground = await Ground.open()
    await ground.fork()
    await ground.reply('unknown', 'what?', 'said there')
    const { sessionID } = await ground.openFork()
    expect(await ground.contextOfLast(sessionID)).toContain('> said there')
    expect(await textsOf(ground, await ground.main())).toEqual([])
  })
})

describe('a reply to a message of a fork that was deleted', () => {
  it('is quoted instead, and the person is told', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    await ground.bough.remove(run.sessionID)
    expect(await ground.reply(externalID, 'how many?', 'The heron is here.')).toEqual([tooOld])
    expect(await ground.isForkOpen()).toBe(false)
    expect(await ground.contextOfLast(await ground.main())).toContain('> The heron is here.')
  })

  it('also where others still stand on its messages', async () => {
    const ground = await Ground.open()
    const { run, externalID } = await pinged(ground)
    await ground.reply(externalID, 'how many?')
    await ground.exit('discard')
    expect(await ground.bough.remove(run.sessionID)).toMatchObject({ kept: true })
    expect(await ground.reply(externalID, 'and now?', 'The heron is here.')).toEqual([tooOld])
    expect(await ground.isForkOpen()).toBe(false)
  })
})
