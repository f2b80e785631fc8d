import { setTimeout as pause } from 'node:timers/promises'

/** Does one thing after the other, with so many milliseconds between them. */
export function spaced(milliseconds: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = free.then(work)
    free = done.catch(() => {}).then(() => pause(milliseconds, undefined, { ref: false }))
    return done
  }
}
