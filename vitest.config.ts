import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { WholeProgramsFirst } from './test/support/whole-programs-first.ts'

const long = Boolean(process.env.BOUGH_TEST_LONG)

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'bench/*.test.ts',
      'test/*.test.ts',
      ...(long ? ['test/long/*.test.ts'] : []),
    ],
    reporters: ['default', './test/support/plain-summary.ts'],
    setupFiles: ['test/support/isolate-home.ts'],
    globalSetup: [
      'test/support/no-project-in-tmp.ts',
      'test/support/print-seed.ts',
      'test/support/build-program.ts',
    ],
    pool: 'forks',
    sequence: { sequencer: WholeProgramsFirst },
    // Much of the time a test waits for another process.
    maxWorkers: availableParallelism() * 2,
    testTimeout: long ? 600_000 : 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
