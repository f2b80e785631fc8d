import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import type { InquiryID, SessionID } from '../../tree/ids.ts'
import { Ground, tool } from './testing/ground.ts'

const week = 7 * 24 * 60

const embed = (...prompts: readonly string[]): string =>
  tool('send_embed', {
    ...{ title: 'Herons', body: 'Two of them.' },
    buttons: prompts.map((prompt, index) => ({ label: `Button ${index}`, prompt })),
  })

/** The buttons of the embed that was sent last. */
async function buttons(ground: Ground, embeds = 1): Promise<readonly InquiryID[]> {
  await until('the embed', () => ground.front.kind('embed').length === embeds)
  await ground.looked()
  return (
    ground.front
      .kind('embed')
      .at(-1)
      ?.buttons.map(({ inquiryID }) => inquiryID) ?? []
  )
}

/** A background run that has sent buttons with these prompts. */
async function runWith(ground: Ground, ...prompts: readonly string[]) {
  const before = ground.front.kind('embed').length
  const run = await ground.run(`count the herons\n${embed(...prompts)}`)
  const [one = 'inq_', two = 'inq_'] = await buttons(ground, before + 1)
  return { run, one, two } as const
}

/** What the agent of a session was asked for, by words or by buttons. */
async function askedIn(ground: Ground, id: SessionID): Promise<readonly string[]> {
  const prompts = (await ground.messages(id)).filter(({ role }) => role === 'user')
  const contexts = await ground.contexts(id)
  return prompts.map(({ text }, index) => text || (/^\[button\] .*$/m.exec(contexts[index] ?? '')?.[0] ?? ''))
}

const inquiryOf = async (ground: Ground, id: InquiryID) => (await ground.store()).links.inquiry(id)

describe('send_embed', () => {
  it('stores each prompt as an inquiry; the button carries its id only', async () => {
    const ground = await Ground.open()
    const { run, one, two } = await runWith(ground, 'secret prompt one', 'secret prompt two')
    const [sent] = ground.front.kind('embed')
    expect(sent).toEqual({
      ...{ kind: 'embed', title: 'Herons', body: 'Two of them.' },
      buttons: [
        { label: 'Button 0', inquiryID: one },
        { label: 'Button 1', inquiryID: two },
      ],
    })
    expect(JSON.stringify(sent)).not.toContain('secret')
    expect(one).not.toBe(two)
    expect(await inquiryOf(ground, two)).toMatchObject({
      ...{ channelID: ground.channelID, sessionID: run.sessionID, prompt: 'secret prompt two', used: null },
    })
  })

  it('takes up to five buttons, each with a label and a prompt', async () => {
    const ground = await Ground.open()
    await ground.say(embed('1', '2', '3', '4', '5', '6'))
    await ground.say(tool('send_embed', { title: 'a', body: 'b', buttons: [{ label: 'c' }] }))
    await ground.looked()
    expect(ground.front.sent).toEqual([])
    await ground.say(embed('1', '2', '3', '4', '5'))
    expect(await buttons(ground)).toHaveLength(5)
  })
})

describe('a click, where no session is linked to the message', () => {
  it('goes to main as [button] and the prompt', async () => {
    const ground = await Ground.open()
    await ground.say(embed('Feed the heron'))
    const [button = 'inq_'] = await buttons(ground)
    await ground.click(button)
    const main = await ground.main()
    expect((await askedIn(ground, main)).at(-1)).toBe('[button] Feed the heron')
    // It is no word of the person's.
    expect((await ground.lastPrompt(main)).text).toBe('')
    expect([await ground.sideForks(), ground.front.shown.at(-1)?.turn.sessionID]).toEqual([[], main])
  })

  it('is queued while a fork is open, and says so; then it goes to main', async () => {
    const ground = await Ground.open()
    await ground.say(embed('Feed the heron'))
    const [button = 'inq_'] = await buttons(ground)
    await ground.fork()
    const { sessionID } = await ground.openFork()
    const told: string[] = []
    const clicking = ground.bough.say(
      ground.channelID,
      { kind: 'click', inquiryID: button },
      { tell: (words) => void told.push(words) },
    )
    await until('the word', () => told.length > 0)
    expect(told).toEqual(['That goes to the main conversation, when this fork has ended.'])
    // What comes later does not wait for it.
    await ground.say('in the fork')
    expect(await askedIn(ground, sessionID)).toEqual([embed('Feed the heron'), 'in the fork'])
    expect(await askedIn(ground, await ground.main())).toEqual([embed('Feed the heron')])
    await expect(ground.click(button)).rejects.toThrow('has been used already')
    await ground.exit('discard')
    await clicking
    const main = await ground.main()
    expect((await askedIn(ground, main)).at(-1)).toBe('[button] Feed the heron')
    expect(await askedIn(ground, sessionID)).not.toContain('[button] Feed the heron')
  })

  it('that is queued goes to the fork that was saved meanwhile: that is main now', async () => {
    const ground = await Ground.open()
    await ground.say(embed('Feed the heron'))
    const [button = 'inq_'] = await buttons(ground)
    await ground.fork()
    const { sessionID } = await ground.openFork()
    const clicking = ground.click(button)
    await until('it to be used', async () => (await inquiryOf(ground, button))?.used)
    await ground.exit('save')
    await clicking
    expect(await ground.main()).toBe(sessionID)
    expect((await askedIn(ground, sessionID)).at(-1)).toBe('[button] Feed the heron')
  })

  it('is not lost when bough is closed while it waits', async () => {
    const ground = await Ground.open()
    await ground.say(embed('Feed the heron'))
    const [button = 'inq_'] = await buttons(ground)
    await ground.fork()
    const clicking = ground.click(button).catch(() => {})
    await until('it to be used', async () => (await inquiryOf(ground, button))?.used)
    await ground.close()
    await clicking
    await ground.reopen()
    await ground.exit('discard')
    const main = await ground.main()
    await until('it to arrive', async () => (await askedIn(ground, main)).includes('[button] Feed the heron'))
    await ground.looked()
    expect((await askedIn(ground, main)).filter((text) => text.startsWith('[button]'))).toHaveLength(1)
  })
})

describe('a click, where a session is linked and no fork is open', () => {
  it('enters an interactive fork from that session, with the banner, then the button’s prompt as first message', async () => {
    const ground = await Ground.open()
    await ground.say('main knows this')
    const { run, one } = await runWith(ground, 'Feed the heron')
    await ground.click(one)
    const fork = await ground.openFork()
    expect(fork).toMatchObject({ kind: 'interactive', origin: 'button', state: 'open' })
    expect((await ground.bough.session(fork.sessionID)).parentID).toBe(run.sessionID)
    expect(await askedIn(ground, fork.sessionID)).toEqual([
      ...['main knows this', run.prompt, '[button] Feed the heron'],
    ])
    expect(ground.front.kind('entered')).toEqual([
      { kind: 'entered', topic: 'continues “count the herons”', isOpen: true },
    ])
    expect(ground.front.shown.at(-1)?.turn.sessionID).toBe(fork.sessionID)
    expect(await ground.sideFork(run.sessionID)).toEqual(run)
  })

  it('tells the agent that it continues that run and that a button was clicked, with no word on leaving', async () => {
    const ground = await Ground.open()
    await ground.report('herons are tall')
    const { one } = await runWith(ground, 'Feed the heron')
    await ground.click(one)
    const context = await ground.contextOfLast((await ground.openFork()).sessionID)
    expect(context).toContain('[fork-started] You go on with what you did here: the person has clicked')
    expect(context).toContain('herons are tall')
    expect(context).not.toMatch(/save_context|report_updates|exit_fork|leave/)
  })

  it('may use no more tools than the run', async () => {
    const ground = await Ground.open()
    const { sessionID } = await ground.bough.runBackground(ground.channelID, embed('write a.txt: a'), {
      allowedTools: ['read'],
    })
    await ground.ended(sessionID)
    const [button = 'inq_'] = await buttons(ground)
    await ground.click(button)
    const fork = await ground.openFork()
    expect(fork.allowedTools).toEqual(['read'])
    expect((await ground.results(fork.sessionID)).at(-1)).toBe('Denied: this run may not use that tool')
    await ground.exit('save')
    await ground.say('write a.txt: a')
    expect((await ground.results(await ground.main())).at(-1)).toContain('Wrote')
  })

  it('of a run that still goes on continues what it has finished so far', async () => {
    const ground = await Ground.open()
    const { sessionID } = await ground.bough.runBackground(ground.channelID, `${embed('Feed')}\nsleep 1`)
    await ground.held(1)
    const [button = 'inq_'] = await buttons(ground)
    await ground.click(button)
    expect((await ground.bough.session((await ground.openFork()).sessionID)).parentID).toBe(sessionID)
    expect((await ground.sideFork(sessionID)).state).toBe('open')
    ground.release(1)
    expect(await ground.ended(sessionID)).toMatchObject({ outcome: 'finished' })
  })

  it('of a run that has become main goes to main', async () => {
    const ground = await Ground.open()
    const run = await ground.run(`${embed('Feed the heron')}\n${tool('save_context')}`)
    const [button = 'inq_'] = await buttons(ground)
    await ground.click(button)
    expect([await ground.main(), await ground.isForkOpen()]).toEqual([run.sessionID, false])
    expect((await askedIn(ground, run.sessionID)).at(-1)).toBe('[button] Feed the heron')
  })

  it('of a run that was deleted says so', async () => {
    const ground = await Ground.open()
    const { run, one } = await runWith(ground, 'Feed the heron')
    await ground.bough.remove(run.sessionID)
    await expect(ground.click(one)).rejects.toMatchObject({
      ...{ code: 'not_found', message: 'The run that sent this button is gone: it was deleted.' },
    })
    expect([await ground.isForkOpen(), await askedIn(ground, await ground.main())]).toEqual([false, []])
  })
})

describe('a click, where a session is linked and a fork is open', () => {
  it('is refused with "already in a fork", seen only by the clicker, and the inquiry is kept for later', async () => {
    const ground = await Ground.open()
    const { run, one } = await runWith(ground, 'Feed the heron')
    await ground.fork()
    const open = await ground.openFork()
    const seen = ground.front.sent.length
    await expect(ground.click(one)).rejects.toMatchObject({
      ...{ code: 'fork_open', message: expect.stringContaining('already in a fork') },
    })
    await ground.looked()
    expect([ground.front.sent.length, (await ground.openFork()).sessionID]).toEqual([seen, open.sessionID])
    expect((await inquiryOf(ground, one))?.used).toBeNull()
    await ground.exit('discard')
    await ground.click(one)
    const { sessionID } = await ground.openFork()
    expect((await ground.bough.session(sessionID)).parentID).toBe(run.sessionID)
    expect((await askedIn(ground, sessionID)).at(-1)).toBe('[button] Feed the heron')
  })
})

describe('a click that is accepted uses the inquiry up', () => {
  it('and a second says so, of a fork’s button and of main’s', async () => {
    const ground = await Ground.open()
    const { one, two } = await runWith(ground, 'Feed the heron', 'Leave it')
    await ground.click(one)
    await ground.exit('discard')
    await expect(ground.click(one)).rejects.toThrow('That button has been used already.')
    expect((await ground.sideForks()).filter(({ kind }) => kind === 'interactive')).toHaveLength(1)
    // Each button is one of its own.
    await ground.click(two)
    await ground.exit('discard')
    await ground.say(embed('Main’s'))
    const [mains = 'inq_'] = await buttons(ground, 2)
    await ground.click(mains)
    await expect(ground.click(mains)).rejects.toThrow('That button has been used already.')
  })

  it('two clicks at once are one', async () => {
    const ground = await Ground.open()
    const { one } = await runWith(ground, 'Feed the heron')
    const clicks = await Promise.allSettled([ground.click(one), ground.click(one)])
    expect(clicks.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await ground.exit('discard')
    await ground.say(embed('Main’s'))
    const [mains = 'inq_'] = await buttons(ground, 2)
    const again = await Promise.allSettled([ground.click(mains), ground.click(mains)])
    expect(again.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await askedIn(ground, await ground.main())).filter((text) => text.includes('[button]'))).toEqual([
      '[button] Main’s',
    ])
  })
})

describe('a click through another channel', () => {
  it('is refused and changes nothing: of a fork’s button and of main’s', async () => {
    const ground = await Ground.open()
    const place = { frontEnd: 'test', key: 'elsewhere' }
    const elsewhere = await ground.bough.openChannel(place, { directory: ground.directory })
    const { one } = await runWith(ground, 'Feed the heron')
    await ground.say(embed('Main’s'))
    const [mains = 'inq_'] = await buttons(ground, 2)
    for (const inquiryID of [one, mains]) {
      await expect(ground.bough.say(elsewhere.id, { kind: 'click', inquiryID })).rejects.toMatchObject({
        ...{ code: 'bad_input', message: 'That belongs to another channel. Do it there.' },
      })
      expect((await inquiryOf(ground, inquiryID))?.used).toBeNull()
    }
    const store = await ground.store()
    expect(await store.inbox.open(elsewhere.id)).toEqual([])
    expect(await askedIn(ground, elsewhere.mainID)).toEqual([])
    expect([await ground.isForkOpen(), await ground.bough.sideForks({ channelID: elsewhere.id })]).toEqual([
      ...[false, []],
    ])
    await ground.click(one)
    expect(await ground.isForkOpen()).toBe(true)
  })
})

describe('an inquiry', () => {
  it('is good for seven days', async () => {
    const ground = await Ground.open()
    const { one } = await runWith(ground, 'Feed the heron')
    ground.pass(week - 1)
    await ground.looked()
    await ground.click(one)
    expect(await ground.isForkOpen()).toBe(true)
  })

  it('of last month is too old, which is not the same as unknown; its prompt is gone, its id and time stay', async () => {
    const ground = await Ground.open()
    const { run, one } = await runWith(ground, 'Feed the heron')
    await ground.say(embed('Main’s'))
    const [mains = 'inq_'] = await buttons(ground, 2)
    const before = await inquiryOf(ground, one)
    ground.pass(30 * 24 * 60)
    await until('the prompt to go', async () => (await inquiryOf(ground, mains))?.prompt === null)
    expect(await inquiryOf(ground, one)).toEqual({ ...before, prompt: null })
    expect(before).toMatchObject({ sessionID: run.sessionID })
    for (const button of [one, mains]) await expect(ground.click(button)).rejects.toThrow('too old')
    await expect(ground.click('inq_01kc0000000000000000000000')).rejects.toThrow('There is no button')
    expect(await ground.isForkOpen()).toBe(false)
  })

  it('is too old also where nobody has kept time since', async () => {
    const ground = await Ground.open()
    const { one } = await runWith(ground, 'Feed the heron')
    await ground.close()
    await ground.reopen({ attend: false })
    ground.pass(week + 1)
    expect((await inquiryOf(ground, one))?.prompt).not.toBeNull()
    await expect(ground.click(one)).rejects.toThrow('too old')
  })
})
