import { expect, it } from 'vitest'
import { Pages } from './pages.ts'

/** Messages by their ids; those that are named cannot be removed, once. */
function screen(stuck: readonly string[] = []) {
  const shown = new Map<string, string>()
  const left = new Set(stuck)
  const pages = new Pages({
    id: 'turn',
    post: async ({ text = '' }) => {
      const id = `m${shown.size + 1}`
      shown.set(id, text)
      return id
    },
    port: {
      edit: async (id, { text = '' }) => void shown.set(id, text),
      remove: async (id) => {
        if (left.delete(id)) throw new Error('not now')
        shown.delete(id)
      },
    },
  })
  return { pages, texts: () => [...shown.values()] }
}

it('a text that gets shorter leaves no page of it', async () => {
  const { pages, texts } = screen()
  await pages.show(['a', 'b', 'c', 'd'])
  expect(await pages.show(['a', 'x'])).toBe(true)
  expect(texts()).toEqual(['a', 'x'])
  expect(await pages.show(['a', 'x'])).toBe(false)
})

it.each([['m2'], ['m3'], ['m4']])('nor where %s cannot be removed at first', async (stuck) => {
  const { pages, texts } = screen([stuck])
  await pages.show(['a', 'b', 'c', 'd'])
  await expect(pages.show(['a'])).rejects.toThrow('not now')
  await pages.show(['a'])
  expect(texts()).toEqual(['a'])
  await pages.show(['a', 'e'])
  expect(texts()).toEqual(['a', 'e'])
})
