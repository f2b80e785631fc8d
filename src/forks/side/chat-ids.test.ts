import { describe, expect, it } from 'vitest'
import { Keeper } from '../../../test/support/keeper.ts'
import { until } from '../../../test/support/until.ts'
import { Ground } from './testing/ground.ts'

const heron = { kind: 'message', text: 'herons', externalID: '1001' } as const

describe('a message that has an id in its chat', () => {
  it('is done once, however often it comes in, also after a restart', async () => {
    const ground = await Ground.open()
    await Promise.all([ground.doing(heron), ground.doing(heron)])
    await ground.close()
    await ground.reopen()
    await ground.doing(heron)
    await ground.doing({ ...heron, text: 'storks', externalID: '1002' })
    expect(await ground.prompts(await ground.main())).toEqual(['herons', 'storks'])
  })

  it('is what its channel has heard last', async () => {
    const ground = await Ground.open()
    expect(await ground.channel()).toMatchObject({ lastHeard: null })
    await ground.doing(heron)
    await ground.say('without an id')
    expect(await ground.channel()).toMatchObject({ lastHeard: '1001' })
  })

  it('is stored before whoever said it hears that it is taken, and that comes before its turn', async () => {
    const ground = await Ground.open()
    const heard: string[] = []
    const lastHeard = Promise.withResolvers<string | null>()
    const taken = () => {
      heard.push('taken')
      void ground.channel().then((channel) => lastHeard.resolve(channel.lastHeard))
    }
    await ground.doing(heron, { taken, began: () => void heard.push('began') })
    expect(await lastHeard.promise).toBe('1001')
    expect(heard).toEqual(['taken', 'began'])
    await ground.doing(heron, { taken: () => void heard.push('taken again') })
    expect(heard).toEqual(['taken', 'began', 'taken again'])
  })
})

describe('what an agent said', () => {
  it('is sent where it could not be shown, and names the messages that show a part of it already', async () => {
    const ground = await Ground.open()
    const { bough, channelID } = ground
    await ground.doing(heron, {
      async show({ id, sessionID }) {
        await bough.link(channelID, 'm1', sessionID, id)
        await bough.link(channelID, 'm2', sessionID, id)
        await bough.link(channelID, 'm1', sessionID, id)
        throw new Error('The chat is gone.')
      },
    })
    const [sent] = ground.front.kind('message')
    expect(sent).toMatchObject({ text: expect.stringContaining('herons'), reply: { shown: ['m1', 'm2'] } })
    expect(ground.front.kind('message')).toHaveLength(1)
  })

  it('says how its turn ended, where it did not finish', async () => {
    const ground = await Ground.open()
    const gone = async () => {
      throw new Error('The chat is gone.')
    }
    await ground.doing({ kind: 'message', text: 'fail no luck' }, { show: gone })
    expect(ground.front.kind('notice')).toEqual([
      { kind: 'notice', text: expect.stringContaining('The turn failed: no luck') },
    ])
  })

  it.each([
    ['finished', 'herons', true, []],
    ['was cut off', 'words 3\nsleep 60', false, [expect.stringContaining('was cut off')]],
  ])(
    'goes on in the messages that show it, when its process was killed and it %s',
    async (_, text, isOver, notices) => {
      const ground = await Ground.open({ isUnattended: true })
      ground.time.now = Date.now()
      const keeper = await Keeper.start(ground.home, { attends: ground.channelID, fails: 'show' })
      keeper.say(ground.channelID, { kind: 'message', text })
      const store = await ground.store()
      const main = await ground.main()
      const turn = await until('an answer, or the beginning of one', async () => {
        const [item] = await store.inbox.open(ground.channelID)
        const found = item?.messageID && (await store.turns.ofPrompt(item.messageID))
        const isThere = isOver ? found?.outcome : found?.draft?.parts.some(({ type }) => type === 'text')
        return isThere && found
      })
      await ground.bough.link(ground.channelID, 'm7', main, turn.id)
      await keeper.program.kill()
      await ground.attend()
      const sent = await until('the answer', () => ground.front.kind('message')[0])
      expect(sent.reply).toEqual({ turnID: turn.id, shown: ['m7'] })
      expect(sent.text).not.toBe('')
      await ground.looked()
      expect(ground.front.kind('notice').map((notice) => notice.text)).toEqual(notices)
      expect(ground.front.kind('message')).toHaveLength(1)
    },
  )
})
