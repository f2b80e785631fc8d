import { describe, expect, it } from 'vitest'
import { NewestAnswer } from './newest-answer.ts'

const later = <T>() => Promise.withResolvers<T>()

describe('the newest answer', () => {
  it('is never overwritten by an older one that comes late', async () => {
    const taken: string[] = []
    const answers = new NewestAnswer<string>((answer) => taken.push(answer))
    const [slow, quick, begun] = [later<string>(), later<string>(), later<void>()]
    answers.ask(() => {
      begun.resolve()
      return slow.promise
    }, 0)
    await begun.promise
    const asked = later<void>()
    answers.ask(() => {
      asked.resolve()
      return quick.promise
    }, 0)
    await asked.promise
    quick.resolve('newer')
    await quick.promise
    slow.resolve('older')
    await slow.promise
    await Promise.resolve()
    expect(taken).toEqual(['newer'])
    expect(answers.isAwaited).toBe(false)
  })

  it('is asked for once, when several things change at once', async () => {
    const asked: string[] = []
    const { promise, resolve } = later<string>()
    const answers = new NewestAnswer<string>(resolve)
    for (const word of ['o', 'op', 'opus']) {
      answers.ask(async () => {
        asked.push(word)
        return word
      }, 1)
    }
    expect(answers.isAwaited).toBe(true)
    expect(await promise).toBe('opus')
    expect(asked).toEqual(['opus'])
  })

  it('is not taken by one who has gone', async () => {
    const taken: string[] = []
    const answers = new NewestAnswer<string>((answer) => taken.push(answer))
    const [answer, begun] = [later<string>(), later<void>()]
    answers.ask(() => {
      begun.resolve()
      return answer.promise
    }, 0)
    await begun.promise
    answers.forget()
    answer.resolve('late')
    await answer.promise
    await Promise.resolve()
    expect(taken).toEqual([])
  })
})
