import type { Reporter, TestModule } from 'vitest/node'

/** One closing line that every tool can read. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) counts[test.result().state]++
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
    console.log(`\n${counts.passed} passed, ${counts.failed} failed${skipped}`)
  }
}
