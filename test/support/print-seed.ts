import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    seed: number
  }
}

export default function printSeed(project: TestProject): void {
  const seed = Number(process.env.BOUGH_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`Random tests use seed ${seed}: BOUGH_TEST_SEED=${seed} repeats them.`)
  project.provide('seed', seed)
}
