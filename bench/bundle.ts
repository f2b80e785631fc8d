import { fileURLToPath } from 'node:url'
import type { Bough } from '../src/bough.ts'
import { findHome } from '../src/home.ts'
import type * as Embedded from '../src/open-bough.ts'

// What is measured is what is published: the bundle in dist/, and not the sources.

export const launcher = fileURLToPath(new URL('../dist/bin/bough.js', import.meta.url))

export async function openBundled(directory: string): Promise<Bough> {
  const { href } = new URL('../dist/lib/embedded.js', import.meta.url)
  const { openBough }: typeof Embedded = await import(href)
  return openBough(findHome({ BOUGH_HOME: directory }))
}
