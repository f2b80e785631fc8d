import { describe, expect, it } from 'vitest'
import { shortPath } from './short-path.ts'

describe('a path', () => {
  const short = (path: string, columns?: number) => shortPath(path, columns, '/home/ann')

  it('has ~ for the home directory', () => {
    expect(short('/home/ann/kitchen')).toBe('~/kitchen')
    expect(short('/home/ann')).toBe('~')
    expect(short('/home/anna/kitchen')).toBe('/home/anna/kitchen')
  })

  it('loses its beginning where there is little room', () => {
    expect(short('/home/ann/work/soups/kitchen', 16)).toBe('…/soups/kitchen')
    expect(short('/home/ann/kitchen', 6)).toMatch(/^…\/kit…/)
  })
})
