import { describe, expect, it } from 'vitest'
import type { Turn } from '../../tree/turn.ts'
import { Ground } from './testing/ground.ts'

const message = (text: string) => ({ kind: 'message' as const, text })

describe('who says something in a channel', () => {
  it('is told when its turn begins, though the channel’s front end shows it', async () => {
    const ground = await Ground.open()
    const began = Promise.withResolvers<Turn>()
    const saying = ground.doing(message('sleep 1'), { began: began.resolve })
    const turn = await began.promise
    expect(turn).toMatchObject({ sessionID: await ground.main(), prompt: { text: 'sleep 1' } })
    ground.release(1)
    await saying
    expect(ground.front.shown.map((shown) => shown.turn.id)).toEqual([turn.id])
  })

  it('is told where nobody shows the channel, too: the reply waits for whoever does', async () => {
    const ground = await Ground.open({ isUnattended: true })
    const turns: Turn[] = []
    await ground.doing(message('Hello'), { began: (turn) => void turns.push(turn) })
    expect(turns).toMatchObject([{ prompt: { text: 'Hello' } }])
    expect(await turns[0]?.ended).toMatchObject({ outcome: 'finished' })
    expect(await ground.bough.sent(ground.channelID)).toMatchObject([
      { state: 'waiting', what: { kind: 'message' } },
    ])
  })

  it('is told when it shows the turn itself, and of the first turn of a fork', async () => {
    const ground = await Ground.open()
    const log: string[] = []
    const options = {
      began: ({ prompt }: Turn) => void log.push(`began: ${prompt.text}`),
      show: async (turn: Turn) => void log.push(`shown: ${(await turn.ended).outcome}`),
    }
    await ground.doing({ kind: 'fork', topic: 'herons' }, options)
    expect(log).toEqual(['began: herons', 'shown: finished'])
  })

  it('does not hurt the turn by failing there', async () => {
    const ground = await Ground.open()
    const began = () => {
      throw new Error('It broke.')
    }
    await ground.doing(message('Hello'), { began })
    expect(ground.front.shown).toMatchObject([{ end: { outcome: 'finished' } }])
  })
})
