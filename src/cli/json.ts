import { toJson } from '../tree/json-text.ts'
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
