import { expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { BoughError } from '../tree/error.ts'
import { abortOn } from './abort-on.ts'

it('who interrupts a turn that cannot be reached is told so in a line, and nothing else happens', async () => {
  const interrupt = new AbortController()
  const lines: string[] = []
  const err = { line: (text = '') => void lines.push(text) }
  const gone = { abort: () => Promise.reject(new BoughError('server_unreachable', 'No server answers.')) }
  abortOn(interrupt.signal, { err, env: {} }, gone, 'ses_1')
  interrupt.abort()
  await until('it to be told', () => lines.length > 0)
  expect(lines).toEqual(['bough: No server answers.'])
})
