import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { minute } from '../src/forks/side/testing/ground.ts'
import { messageParts, wishIn } from '../src/tree/prompts.ts'
import { BotGround, isBanner, wordsOf } from './support/discord/bot-ground.ts'
import { liveButtons } from './support/discord/buttons.ts'
import { claudeDay, type DayAgent, offlineDay } from './support/discord/day-agent.ts'
import type { Message } from './support/discord/message.ts'
import { variants } from './support/size.ts'

const code = Array.from({ length: 260 }, (_, i) => `const heron${i} = ${i} * ${i}`)
const longAnswer = `Here it is.\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\nThat is all of it.`

/** The owner of the bot, on the 16th of November. */
class Owner {
  readonly bot: BotGround
  readonly agent: DayAgent

  constructor(bot: BotGround, agent: DayAgent) {
    this.bot = bot
    this.agent = agent
  }

  says(words: string, replyTo?: Message): Promise<Message> {
    return this.bot.asks(words, this.agent.answerTo(words), replyTo && { replyTo })
  }

  /** Makes the agent call a tool. */
  wants(name: string, args?: Parameters<DayAgent['call']>[1]): void {
    this.bot.writes(this.agent.call(name, args))
  }

  /** Waits for the newest banner after so many. */
  banner(count: number): Promise<Message> {
    return this.bot.fake.until(`banner ${count}`, () => this.bot.said.filter(isBanner)[count - 1])
  }

  /** Waits for the end of so many forks; resolves with the words of the last. */
  async ended(count: number): Promise<string> {
    const ends = () => this.bot.words.filter((words) => words.startsWith('Fork ended'))
    const last = await this.bot.fake.until(`end ${count}`, () => ends()[count - 1])
    expect(ends()).toHaveLength(count)
    for (const banner of this.bot.said.filter(isBanner).slice(0, count))
      await this.bot.fake.until('its banner to be closed', () => liveButtons(banner).length === 0)
    return last
  }

  /** What was wished for in all that the agent knew when it was asked last. */
  get wishes(): readonly string[] {
    return this.agent.told().map((prompt) => wishIn(messageParts(prompt)))
  }

  get lastTold(): string {
    return this.agent.told().at(-1) ?? ''
  }

  /** Waits until it is that late. */
  until(hour: number, minutes = 0): void {
    this.bot.pass((Date.UTC(2026, 10, 16, hour, minutes) - this.bot.ground.time.now) / minute)
  }
}

for (const [name, open] of variants([
  ['the offline agent', offlineDay],
  ['claude', claudeDay],
] as const))
  it(`a whole day with ${name}`, { timeout: 240_000 }, async () => {
    const agent = await open()
    const bot = await BotGround.open({ ground: { drivers: [agent.driver] } })
    const me = new Owner(bot, agent)
    const { answers, slow, call } = agent

    // Breakfast: a few words in main, streamed.
    await me.says('good morning')
    bot.writes(slow(80))
    const streamed = await bot.hears(/bark.*grove/)
    const versions = bot.fake.history.filter(({ message }) => message.id === streamed.id)
    expect(versions.length).toBeGreaterThan(2)
    expect(versions[0]?.message.content).toContain('writing …')
    const main = ['good morning', slow(80)]

    // A fork with a topic, which is reported.
    await bot.forks('pricing research')
    await bot.hears(agent.answerTo('pricing research'))
    await me.says('what do others charge')
    expect(me.wishes).toEqual([...main, 'pricing research', 'what do others charge'])
    answers.set('This fork ends with a report', call('report_updates', { message: 'others charge nine' }))
    bot.clicks(await me.banner(1), 'Report')
    expect(await me.ended(1)).toContain('Summary reported')
    await me.says('what did we find')
    main.push('what did we find')
    expect(me.wishes).toEqual(main)
    expect(me.lastTold).toMatch(/Forks have reported:\n- .*: others charge nine\n/)

    // Another, which is saved: main goes on from it, and was told once.
    bot.runs('fork')
    const second = await me.banner(2)
    expect(wordsOf(second)).toBe('Forked session\nopen session')
    await me.says('draft the page')
    bot.clicks(second, 'Save context')
    expect(await me.ended(2)).toContain('Context saved')
    await me.says('where are we')
    main.push('draft the page', 'where are we')
    expect(me.wishes).toEqual(main)
    expect(me.lastTold).not.toContain('others charge nine')

    // One that the agent leaves by its own tool.
    bot.runs('fork', { topic: 'find a name' })
    await bot.hears(agent.answerTo('find a name'))
    me.wants('exit_fork')
    expect(await me.ended(3)).toContain('Discarded')
    await me.says('back again')
    main.push('back again')
    expect(me.wishes).toEqual(main)

    // One that the agent enters by itself, and reports.
    const enter = call('enter_fork', { topic: 'ideas for a logo' })
    bot.writes(enter)
    await bot.hears(agent.answerTo('ideas for a logo'))
    main.push(enter)
    expect(wordsOf(await me.banner(4))).toBe('Forked session\nideas for a logo')
    expect(me.wishes).toEqual([...main, 'ideas for a logo'])
    expect(me.lastTold).toContain('[fork-started]')
    me.wants('report_updates', { message: 'a green heron' })
    expect(await me.ended(4)).toContain('Summary reported')

    // A routine, which the agent makes and the person approves.
    const card = call('send_embed', {
      title: 'The morning',
      body: 'Three letters came.',
      buttons: [
        { label: 'Read them', prompt: 'Read the letters.' },
        { label: 'Burn them', prompt: 'Burn the letters.' },
      ],
    })
    const routine = call('add_routine', { cron: '0 9 * * *', time_zone: 'UTC', prompt: card })
    bot.writes(routine)
    const approval = await bot.hears('May the agent do this?')
    expect(wordsOf(approval)).toMatch(/add\\_routine.*Cron: 0 9 \* \* \*/s)
    expect(me.lastTold).toContain('a green heron')
    bot.clicks(approval, 'Allow once')
    await bot.fake.until('the routine', async () => (await bot.ground.bough.schedules()).length === 1)
    await me.says('thank you')
    main.push(routine, 'thank you')

    // In the morning it posts; an hour later a reply goes on with exactly that run.
    me.until(9)
    const morning = await bot.hears(/^The morning\n/m)
    expect(liveButtons(morning)).toEqual(['Read them', 'Burn them'])
    const [run] = await bot.ground.sideForks()
    await bot.ground.ended(run?.sessionID ?? 'ses_')
    expect(me.wishes).toEqual([...main, card])
    expect(me.lastTold).toContain('[schedule] This routine is due now.')
    await me.says('meanwhile in main')
    me.until(10)
    await me.says('who are they from', morning)
    expect(me.wishes).toEqual([...main, card, 'who are they from'])
    expect(me.lastTold).toContain('> Three letters came.')
    main.push('meanwhile in main')

    // A click is refused while that fork is open, and afterwards goes on with the run.
    bot.clicks(morning, 'Read them')
    await bot.whispers('You are already in a fork')
    expect(liveButtons(morning)).toEqual(['Read them', 'Burn them'])
    bot.clicks(await me.banner(5), 'Exit fork')
    await me.ended(5)
    bot.clicks(morning, 'Read them')
    await me.banner(6)
    await bot.fake.until('the button to be off', () => liveButtons(morning).length === 1)
    await bot.hears(/\[button\] Read the letters/)
    const clicked = [...main.slice(0, -1), card, '[button] Read the letters.']
    expect(me.wishes).toEqual(clicked)

    // What the agent does there is approved by buttons.
    for (const [file, answer] of [
      ['letters.txt', 'Allow once'],
      ['ashes.txt', 'Deny'],
    ] as const) {
      bot.writes(`run touch ${file}`)
      const question = await bot.fake.until('the question', () =>
        bot.said.find((each) => wordsOf(each).includes(`touch ${file}`) && liveButtons(each).length === 5),
      )
      bot.clicks(question, answer)
      await bot.fake.until('the answer to be shown', () => liveButtons(question).length === 0)
      clicked.push(`run touch ${file}`)
    }
    await me.says('is it done')
    expect(existsSync(join(bot.ground.directory, 'letters.txt'))).toBe(true)
    expect(existsSync(join(bot.ground.directory, 'ashes.txt'))).toBe(false)

    // The bot is restarted: the fork is still there.
    await bot.restart()
    await me.says('still here')
    clicked.push('is it done', 'still here')
    expect(me.wishes).toEqual(clicked)
    expect(liveButtons(await me.banner(6))).toHaveLength(3)

    // Lunch: nobody says anything.
    answers.set('[fork-timeout]', 'Shall I go on?')
    answers.set('This fork ends with a report', call('report_updates', { message: 'the letters are read' }))
    bot.pass(11)
    await bot.hears('Shall I go on?')
    expect(me.lastTold).toContain('[fork-timeout]')
    await bot.ground.looked()
    bot.pass(11)
    expect(await me.ended(6)).toContain('Summary reported')
    await me.says('I am back')
    main.push('I am back')
    expect(me.wishes).toEqual(main)
    expect(me.lastTold).toContain('the letters are read')

    // The tree, and a long answer with code.
    bot.runs('tree')
    const before = bot.said.length
    const tree = await bot.fake.until('the tree', () => {
      const [file] = bot.fake.attachments
      return file?.content.toString() ?? bot.words.find((words) => words.includes('Discord'))
    })
    for (const title of ['Discord', 'pricing research', 'find a name', 'ideas for a logo'])
      expect(tree).toContain(title)
    answers.set('show me the code', longAnswer)
    bot.writes('show me the code')
    await bot.hears('That is all of it.')
    const pages = bot.said.slice(before).map(wordsOf)
    expect(pages.length).toBeGreaterThan(3)
    for (const page of pages) expect((page.match(/^```/gm) ?? []).length % 2).toBe(0)
    expect(pages.join('\n').match(/^const heron.*$/gm)).toEqual(code)

    // In the evening all is done, and nothing is open.
    expect(await bot.ground.isForkOpen()).toBe(false)
    expect(await bot.ground.updates()).toEqual([])
    expect(await bot.ground.prompts(await bot.ground.main())).toEqual([...main, 'show me the code'])
    expect(bot.log).toEqual([])
  })
