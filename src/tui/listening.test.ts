import { describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { Bough, EventOptions } from '../bough.ts'
import { BoughError } from '../tree/error.ts'
import { listen } from './listening.ts'
import { openTui } from './testing/ground.ts'

/** Events that break off when the test says so, and fail so many times before they can be read again. */
function breaking(bough: Bough, failures: number) {
  const broken = Promise.withResolvers<never>()
  const asked: EventOptions[] = []
  const events = async function* (options: EventOptions) {
    asked.push(options)
    if (asked.length > 1 && asked.length <= failures + 1) throw new Error('It cannot be read.')
    const reading = bough.events(options)[Symbol.asyncIterator]()
    while (true) {
      const next = asked.length === 1 ? Promise.race([reading.next(), broken.promise]) : reading.next()
      const { done, value } = await next
      if (done) return
      yield value
    }
  }
  return { asked, break: () => broken.reject(new Error('It broke off.')), seen: { ...bough, events } }
}

describe('what changes elsewhere', () => {
  it('is heard again after an error, and what was missed is read', async () => {
    let broken: ReturnType<typeof breaking> | undefined
    const { screen, turn, press } = await openTui({
      seen: (bough) => {
        broken = breaking(bough, 1)
        return broken.seen
      },
    })
    await screen('Esc looks back')
    await until('it listens', () => broken?.asked.length === 1)
    broken?.break()
    await screen('It broke off.')
    await turn('Say: missed')
    await screen('“Say: missed”')
    await turn('Say: heard')
    await screen('“Say: heard”')
    press('x')
    expect(await screen('Esc clears')).not.toMatch(/no connection|It broke off/)
  })

  it('is heard again by what is open, too: the fork dialog notices a turn that begins', async () => {
    let broken: ReturnType<typeof breaking> | undefined
    const { screen, turn, press, agent } = await openTui({
      seen: (bough) => {
        broken = breaking(bough, 0)
        return broken.seen
      },
    })
    await screen('Esc looks back')
    press('Alt+Shift+F')
    await screen('Enter forks')
    expect(broken?.asked).toHaveLength(1)
    broken?.break()
    await screen('It broke off.')
    await until('it listens again', () => broken?.asked.length === 2)
    const ended = turn('sleep 1')
    await screen('A turn is running in this session.')
    agent.release(1)
    await ended
    await until('that to be over', async () => !(await screen('Enter forks')).includes('A turn is running'))
  })

  it('is missing meanwhile: the status line says so', async () => {
    let tell: EventOptions['away']
    const { screen, bough, session } = await openTui({
      seen: (each) => ({
        ...each,
        events: (options) => {
          tell = options.away?.bind(options)
          return each.events(options)
        },
      }),
    })
    await screen('Esc looks back')
    tell?.(true)
    await screen(/^ no connection · offline/m)
    await bough.change(session.id, { title: 'Stew' })
    tell?.(false)
    await screen(/^ offline/m)
  })

  it('is waited for longer each time, and told once', async () => {
    const waits: number[] = []
    const told: unknown[] = []
    const turns: boolean[] = []
    const over = new AbortController()
    const events = async function* () {
      if (waits.length === 9) yield { kind: 'reset', seq: 1 } as const
      if (waits.length === 10) over.abort()
      throw new Error('It cannot be read.')
    }
    await listen(
      { events },
      {
        ...{ signal: over.signal, hear: () => {}, away: (isAway) => turns.push(isAway) },
        failed: (error) => told.push(error),
        sleep: async (time) => waits.push(time),
      },
    )
    expect(waits).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 50])
    expect(told).toHaveLength(2)
    expect(turns).toEqual([true, false, true])
  })
})

describe('a tab that could not attend its channel', () => {
  it('does when everything is read afresh', async () => {
    let calls = 0
    const { app, screen, bough, session } = await openTui({
      seen: (each) => ({
        ...each,
        attend: async (id, frontEnd) => {
          calls++
          if (calls === 1) throw new BoughError('server_unreachable', 'No server answers.')
          return each.attend(id, frontEnd)
        },
      }),
    })
    await screen('No server answers.')
    const { id } = await bough.channelOf(session.id)
    app.tab.refresh()
    await until('it attends', () => calls === 2)
    await bough.runBackground(id, 'tool ping_user {"text":"Found herons."}')
    await screen('┃ Found herons.')
  })
})
