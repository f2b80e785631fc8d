import type { Output } from './output.ts'

export function printJson(out: Output, value: unknown): void {
  out.line(toJson(value))
}

/** An array printed piece by piece: a line of 100,000 messages need not fit in memory. */
export async function printJsonArray(out: Output, items: AsyncIterable<unknown>): Promise<void> {
  let separator = '[\n'
  for await (const item of items) {
    if (out.closed) return
    out.write(`${separator}  ${toJson(item).replaceAll('\n', '\n  ')}`)
    separator = ',\n'
    await out.drained()
  }
  out.line(separator === '[\n' ? '[]' : '\n]')
}

// JSON leaves these characters bare, yet terminals obey them: an escaped one is the same JSON.
const terminalControls = /[\u007f-\u009f]/g

export const toJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    terminalControls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
