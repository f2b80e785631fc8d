import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { count, seed } from '../../../test/support/size.ts'
import { type Backtrack, enter, notLookingBack, pressEscape, type Stop, step } from './backtrack.ts'

// The table of the specification, written down a second time as simply as it reads, beside the state machine.

type Key = 'Esc' | 'up' | 'down' | 'pageUp' | 'pageDown' | 'first' | 'last' | 'own' | 'q'

interface Press {
  readonly key: Key
  /** Milliseconds since the key before. */
  readonly after: number
}

interface Model {
  /** Which stop is selected; null while off. */
  readonly at: number | null
  /** When the Escs of this run were pressed, with no other key between them; while off, of the run that left. */
  readonly run: readonly number[]
}

function pressed(model: Model, { key }: Press, now: number, stops: readonly boolean[]): Model {
  const last = stops.length - 1
  if (key === 'Esc') {
    const before = model.run.at(-1)
    const run = before !== undefined && now - before <= 400 ? [...model.run, now] : [now]
    if (model.at === null)
      return run.length > 1 || stops.length === 0
        ? { at: null, run: run.length > 1 ? run : [] }
        : { at: last, run }
    if (run.length === 3 || model.at === 0) return { at: null, run }
    return { at: model.at - 1, run }
  }
  if (model.at === null) return model
  const { at } = model
  const own = [...stops.keys()].filter((i) => stops[i])
  const to: Readonly<Record<Exclude<Key, 'Esc'>, number | null>> = {
    up: Math.max(0, at - 1),
    down: Math.min(last, at + 1),
    pageUp: Math.max(0, at - 10),
    pageDown: Math.min(last, at + 10),
    first: 0,
    last,
    own: own.length === 0 ? at : (own.filter((i) => i < at).at(-1) ?? own.at(-1) ?? at),
    q: null,
  }
  return { at: to[key], run: [] }
}

function machine(state: Backtrack, { key }: Press, now: number, stops: readonly Stop[]): Backtrack {
  if (key === 'Esc') return state.on ? pressEscape(state, stops, now) : enter(state, stops, now)
  if (!state.on) return state
  return key === 'q' ? notLookingBack : step(state, stops, key)
}

const keys: readonly Key[] = ['Esc', 'up', 'down', 'pageUp', 'pageDown', 'first', 'last', 'own', 'q']

const presses = fc.array(
  fc.record({
    key: fc.oneof({ weight: 3, arbitrary: fc.constant<Key>('Esc') }, fc.constantFrom(...keys)),
    after: fc.oneof(fc.constantFrom(0, 399, 400, 401), fc.nat(2000)),
  }),
  { maxLength: 60 },
)

describe('backtrack', () => {
  it('does with any keys what the table says', () => {
    const property = fc.property(fc.array(fc.boolean(), { maxLength: 40 }), presses, (own, all) => {
      const stops = own.map((isPersons, i): Stop => ({ id: `msg_${i}`, isPersons }))
      let model: Model = { at: null, run: [] }
      let state: Backtrack = notLookingBack
      let now = 0
      for (const press of all) {
        now += press.after
        model = pressed(model, press, now, own)
        state = machine(state, press, now, stops)
        expect(state.on ? state.selected : null).toBe(model.at === null ? null : `msg_${model.at}`)
      }
    })
    fc.assert(property, { numRuns: count(20_000, 1000), seed: seed() })
  })

  it('selects something that is there, also when messages come and go meanwhile', () => {
    const ids = fc.uniqueArray(fc.nat(30), { maxLength: 30 })
    const property = fc.property(fc.array(fc.tuple(ids, presses), { maxLength: 5 }), (all) => {
      let state: Backtrack = notLookingBack
      let now = 0
      for (const [numbers, some] of all) {
        const stops = numbers
          .toSorted((a, b) => a - b)
          .map((n): Stop => ({ id: `msg_${n}`, isPersons: n % 2 === 0 }))
        for (const press of some) {
          now += press.after
          const before: Backtrack = state
          state = machine(state, press, now, stops)
          const isMoved = state.on && (!before.on || state.selected !== before.selected)
          if (isMoved && state.on) expect(stops.map(({ id }) => id)).toContain(state.selected)
        }
      }
    })
    fc.assert(property, { numRuns: count(5000, 300), seed: seed() })
  })
})
