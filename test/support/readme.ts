import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '..', '..', 'README.md')

/** The blocks of one language in the README, as they stand there. */
export const blocks = (language: 'sh' | 'ts'): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\``, 'gms'))].map(
    ([, indent = '', block = '']) => block.replace(new RegExp(`^${indent}`, 'gm'), ''),
  )

/** The commands of a block, without what stands behind them for people. */
export const commandsIn = (block: string): readonly string[] =>
  block
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '')
