import { describe, expect, it } from 'vitest'
import { bestPaths } from './fuzzy-path.ts'

const paths = ['src/tui/tab/composer.ts', 'docs/compose.md', 'src/tab-bar.ts', 'README.md', 'src/a/Tab.ts']

describe('paths by a few letters', () => {
  it('come with the letters together in the name of the file first', () => {
    expect(bestPaths(paths, 'tab', 9)).toEqual(['src/a/Tab.ts', 'src/tab-bar.ts', 'src/tui/tab/composer.ts'])
    expect(bestPaths(paths, 'com', 9)).toEqual(['docs/compose.md', 'src/tui/tab/composer.ts'])
  })

  it('come with the letters apart, in their order, after those', () => {
    expect(bestPaths(paths, 'stb', 9)).toEqual(['src/a/Tab.ts', 'src/tab-bar.ts', 'src/tui/tab/composer.ts'])
    expect(bestPaths(paths, 'bts', 9)).not.toContain('README.md')
  })

  it('are all, the highest first, where no letter is typed; at most so many', () => {
    expect(bestPaths(paths, ' ', 3)).toEqual(['README.md', 'docs/compose.md', 'src/tab-bar.ts'])
    expect(bestPaths(paths, 'x', 9)).toEqual([])
    expect(bestPaths(paths, 's', 0)).toEqual([])
  })

  it('of a hundred thousand files are found at once', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `src/part-${i % 300}/file-${i}.ts`)
    const began = performance.now()
    expect(bestPaths(many, 'file99999', 3)[0]).toBe('src/part-99/file-99999.ts')
    expect(performance.now() - began).toBeLessThan(2000)
  })
})
