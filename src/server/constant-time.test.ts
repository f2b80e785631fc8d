import { timingSafeEqual } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { Gate } from './gate.ts'

vi.mock('node:crypto', { spy: true })

it('the comparison that takes the same time whatever it is given is all that decides about a token', () => {
  const token = 'token-of-some-length'
  const gate = new Gate({ token, host: '127.0.0.1', names: [] })
  const come = (given: string) => () => gate.checkToken({ authorization: `Bearer ${given}` })
  expect(come(token)).not.toThrow()
  expect(come('another')).toThrow()
  expect(vi.mocked(timingSafeEqual)).toHaveBeenCalledTimes(2)
  vi.mocked(timingSafeEqual).mockReturnValueOnce(false)
  expect(come(token)).toThrow()
  vi.mocked(timingSafeEqual).mockReturnValueOnce(true)
  expect(come('another')).not.toThrow()
})
