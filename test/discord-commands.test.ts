import { ApplicationIntegrationType, InteractionContextType, InteractionResponseType } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { BotGround, wordsOf } from './support/discord/bot-ground.ts'
import type { InteractionRecord } from './support/discord/interactions.ts'
import type { Message } from './support/discord/message.ts'

/** The message that a command was answered with, once it says something; null when it was taken away. */
async function answerTo(bot: BotGround, record: InteractionRecord): Promise<Message | null> {
  const { fake, dm } = bot
  await fake.untilCallback(record)
  return fake
    .until('the answer', () => {
      const message = fake.channelMessages(dm.id).find(({ id }) => id === record.originalID)
      if (!message) return { answer: null }
      return (message.content !== '' || message.attachments.length > 0) && { answer: message }
    })
    .then(({ answer }) => answer)
}

const shown = async (bot: BotGround, command: string): Promise<string> => {
  const answer = await answerTo(bot, bot.runs(command))
  if (!answer) throw new Error(`/${command} showed nothing.`)
  return answer.content
}

const commands = [
  'fork',
  'save',
  'report',
  'exit',
  'interrupt',
  'tree',
  'sessions',
  'open',
  'updates',
  'routines',
]

describe('every command', () => {
  it('is offered in direct messages with the bot and nowhere else, however it was added', async () => {
    const { fake } = await BotGround.open()
    expect(fake.commands.map(({ name }) => name).toSorted()).toEqual(commands.toSorted())
    for (const { contexts, integration_types } of fake.commands) {
      expect(contexts).toEqual([InteractionContextType.BotDM])
      expect(integration_types).toEqual([
        ApplicationIntegrationType.GuildInstall,
        ApplicationIntegrationType.UserInstall,
      ])
    }
  })

  it('is acknowledged at once, also while a turn runs', async () => {
    const bot = await BotGround.open({ fake: { interactionAckMs: 3000 } })
    bot.writes('sleep 1')
    await bot.ground.held(1)
    const values = { fork: { topic: 'sleep 2' }, open: { session: 'none' } }
    for (const command of commands.filter((each) => each !== 'interrupt')) {
      const record = bot.runs(command, command === 'fork' || command === 'open' ? values[command] : {})
      const { type } = await bot.fake.untilCallback(record)
      expect(type).toBe(InteractionResponseType.DeferredChannelMessageWithSource)
    }
    expect(bot.log).toEqual([])
    bot.ground.release(1)
    bot.ground.release(2)
    await bot.hears('sleep 2: done')
  })
})

describe('/fork', () => {
  it('opens a fork and leaves nothing but its banner', async () => {
    const bot = await BotGround.open()
    const record = bot.runs('fork')
    expect(await answerTo(bot, record)).toBeNull()
    await bot.hears('Forked session\nopen session')
    expect(record.callback).toMatchObject({ data: { flags: 64 } })
    expect(bot.said).toHaveLength(1)
  })

  it('with a topic says it in the fork', async () => {
    const bot = await BotGround.open()
    await bot.forks('@everyone *herons*')
    await bot.hears('“@everyone *herons*”')
    expect(await bot.ground.prompts((await bot.ground.openFork()).sessionID)).toEqual(['@everyone *herons*'])
  })

  it('in a fork says, to whoever asked only, that one is open', async () => {
    const bot = await BotGround.open()
    await bot.forks()
    bot.runs('fork', { topic: 'another' })
    await bot.whispers('You are already in a fork. End it first: /save, /report or /exit.')
    expect(bot.said).toHaveLength(1)
  })
})

describe('/save, /report and /exit', () => {
  it.each([
    ['save', /^Fork ended\n\*\*Context saved\*\*/],
    ['report', /^Fork ended\n\*\*Summary reported\*\*/],
    ['exit', /^Fork ended\n\*\*Discarded\*\*/],
  ])('/%s ends the fork, and leaves nothing but what came of it', async (command, banner) => {
    const bot = await BotGround.open()
    await bot.forks('herons')
    await bot.hears('“herons”')
    const record = bot.runs(command)
    expect(await answerTo(bot, record)).toBeNull()
    await bot.hears(banner)
    expect(await bot.ground.isForkOpen()).toBe(false)
    expect(bot.whispered).toEqual([])
  })

  it('say that no fork is open, to whoever asked only', async () => {
    const bot = await BotGround.open()
    for (const command of ['save', 'report', 'exit']) {
      const answer = await answerTo(bot, bot.runs(command))
      expect(answer).toMatchObject({ content: 'No fork is open. /fork opens one.', flags: 64 })
    }
    expect(bot.said).toEqual([])
  })
})

describe('/interrupt', () => {
  it('stops the turn of the open fork, else of main', async () => {
    const bot = await BotGround.open()
    bot.writes('sleep 1')
    await bot.ground.held(1)
    expect(await shown(bot, 'interrupt')).toBe('The agent was told to stop.')
    await bot.hears('The turn was interrupted')
    await bot.forks('sleep 2')
    await bot.ground.held(2)
    await shown(bot, 'interrupt')
    await bot.fake.until(
      'the second end',
      () => bot.words.filter((each) => each.includes('was interrupted')).length === 2,
    )
  })

  it('says that nothing runs', async () => {
    const bot = await BotGround.open()
    expect(await answerTo(bot, bot.runs('interrupt'))).toMatchObject({
      content: 'No turn is running.',
      flags: 64,
    })
  })
})

describe('/tree', () => {
  it('shows the tree as text, with what goes on here', async () => {
    const bot = await BotGround.open()
    await bot.forks('herons')
    await bot.hears('“herons”')
    const answer = await answerTo(bot, bot.runs('tree'))
    expect(answer).toMatchObject({ flags: 0 })
    expect(answer?.content).toMatch(/^```\nDiscord {2}.* main .*\n└─ ● herons .*\n```$/)
  })

  it('that is too long for a message comes as a file', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', '“herons”')
    const main = await bot.ground.main()
    const title = `\`\`\` one of many forks of the herons`
    for (let i = 0; i < 25; i++) await bot.ground.bough.fork(main, { title })
    const answer = await answerTo(bot, bot.runs('tree'))
    expect(answer?.content).toBe('')
    const [file, ...more] = bot.fake.attachments
    expect(more).toEqual([])
    expect(file?.attachment.filename).toBe('tree.txt')
    const lines = file?.content.toString().split('\n') ?? []
    expect(lines).toHaveLength(26)
    for (const line of lines.slice(1)) expect(line).toContain('``` one of many')
  })
})

describe('/sessions and /open', () => {
  it('shows the newest sessions, and one of them becomes the main conversation', async () => {
    const bot = await BotGround.open()
    await bot.asks('herons', '“herons”')
    const list = await shown(bot, 'sessions')
    const [, id = ''] = /^(\w+) +Main /m.exec(list) ?? []
    bot.runs('open', { session: id })
    await bot.whispers('“Main” is the main conversation here now.')
    await bot.asks('storks', /This is turn 1 .*“storks”/)
    expect(await bot.toldMain()).toEqual(['storks'])
  })

  it('names it letter for letter', async () => {
    const bot = await BotGround.open()
    await bot.forks('mend __init__.py')
    const { sessionID } = await bot.ground.openFork()
    bot.runs('exit')
    await bot.ground.ended(sessionID)
    bot.runs('open', { session: sessionID })
    await bot.whispers('“mend \\_\\_init\\_\\_.py” is the main conversation here now.')
  })

  it('says that there is no such session, to whoever asked only', async () => {
    const bot = await BotGround.open()
    for (const session of ['zzzzzz', ' ', '%', "' OR 1=1 --", '../x', 'ses_'])
      expect(await answerTo(bot, bot.runs('open', { session }))).toMatchObject({ flags: 64 })
    expect(bot.whispered[0]).toBe('There is no session zzzzzz. /sessions shows the newest.')
    expect(bot.whispered.every((words) => words !== '')).toBe(true)
    expect(bot.whispered).toHaveLength(6)
    expect(bot.log).toEqual([])
  })

  it('opens nothing else while a fork is open', async () => {
    const bot = await BotGround.open()
    const list = await shown(bot, 'sessions')
    const [, id = ''] = /^(\w+) +Main /m.exec(list) ?? []
    const main = await bot.ground.main()
    await bot.forks()
    bot.runs('open', { session: id })
    await bot.whispers('fork')
    expect(await bot.ground.main()).toBe(main)
  })
})

describe('/updates', () => {
  it('shows what main was not told yet, until it is', async () => {
    const bot = await BotGround.open()
    await bot.ground.report('There are herons.')
    expect(await shown(bot, 'updates')).toContain('There are herons.')
    await bot.asks('storks', '“storks”')
    bot.runs('updates')
    await bot.whispers('Nothing waits: the main conversation knows all that was reported.')
  })
})

describe('/routines', () => {
  it('shows routines and reminders', async () => {
    const bot = await BotGround.open()
    bot.runs('routines')
    await bot.whispers('No routines or reminders yet.')
    await bot.ground.bough.addRoutine(bot.ground.channelID, {
      cron: '0 9 * * *',
      prompt: 'Count the herons.',
    })
    await bot.ground.bough.addReminder(bot.ground.channelID, {
      at: bot.ground.time.now + 60_000,
      prompt: 'Feed the storks.',
    })
    expect(await shown(bot, 'routines')).toMatch(/Count the herons\..*Feed the storks\./s)
  })
})

it('What only the one who asked is told does not stay in the conversation', async () => {
  const bot = await BotGround.open()
  const record = bot.runs('routines')
  await bot.whispers('No routines')
  expect(await answerTo(bot, record)).toBeNull()
  expect(bot.said.map(wordsOf)).toEqual([])
})
