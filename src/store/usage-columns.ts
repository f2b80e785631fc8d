import { noUsage, type Usage } from '../tree/usage.ts'

// A usage in a row: five columns that begin alike. Sums are made by the database, in the statement that writes them.

const kinds = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
] as const

type Kind = (typeof kinds)[number]

/** One piece of SQL for each of the columns, between commas. */
export const forUsage = (sql: (kind: Kind) => string): string => kinds.map((kind) => sql(kind)).join(', ')

/**
 * A usage in a result, as one value: a list of thousands of sessions has ten columns less for it. Null where nothing was
 * spent.
 */
export const usageText = (prefix: string): string =>
  `CASE WHEN ${kinds.map((kind) => `${prefix}_${kind} = 0`).join(' AND ')} THEN NULL
        ELSE ${kinds.map((kind) => `${prefix}_${kind}`).join(` || ' ' || `)} END`

export function usageFrom(text: string | null): Usage {
  if (text === null) return noUsage
  const [inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, costUSD = 0] = text
    .split(' ')
    .map(Number)
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUSD }
}

/** What a statement is given for a usage; null for none. */
export const usageValues = (usage: Usage | null): Readonly<Record<Kind, number | null>> => ({
  input_tokens: usage?.inputTokens ?? null,
  output_tokens: usage?.outputTokens ?? null,
  cache_read_tokens: usage?.cacheReadTokens ?? null,
  cache_write_tokens: usage?.cacheWriteTokens ?? null,
  cost_usd: usage?.costUSD ?? null,
})
