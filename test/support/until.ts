import { setTimeout as pause } from 'node:timers/promises'

const lookEvery = 20

type Found<T> = T | null | false | undefined

/** Looks again and again until there is something; when it takes too long, says what it was that did not come. */
export async function until<T>(
  what: string,
  look: () => Found<T> | Promise<Found<T>>,
  limit = 20_000,
): Promise<T> {
  const deadline = Date.now() + limit
  for (;;) {
    const found = await look()
    if (found !== null && found !== false && found !== undefined) return found
    if (Date.now() > deadline) throw new Error(`Waited ${limit} ms in vain for ${what}.`)
    await pause(lookEvery)
  }
}
