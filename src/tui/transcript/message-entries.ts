import { callsOf, type Message, resultsOf } from '../../tree/message.ts'
import type { Entry, MessageEntry } from './entry.ts'

/** Entries with more messages, each in its place on the line; notes stay behind the message that they came after. */
export function inPlace(entries: readonly Entry[], added: readonly MessageEntry[]): readonly Entry[] {
  const left = added.toSorted((a, b) => a.order - b.order)
  const newest = entries.findLast((entry) => entry.kind === 'message')
  if (newest === undefined || newest.order < (left[0]?.order ?? 0)) return [...entries, ...left]
  const merged: Entry[] = []
  let next = 0
  for (const entry of entries) {
    if (entry.kind === 'message')
      for (let young = left[next]; young && young.order < entry.order; young = left[next]) {
        merged.push(young)
        next += 1
      }
    merged.push(entry)
  }
  return [...merged, ...left.slice(next)]
}

/** What a tool gave stands with the call, also where the two are of different pages. */
export function withResults(entries: readonly Entry[], added: readonly Message[]): readonly Entry[] {
  const isNew = new Set(added.map(({ id }) => id))
  const results = entries.flatMap((entry) =>
    entry.kind === 'message' && entry.message.role === 'tool' ? resultsOf(entry.message.parts) : [],
  )
  if (results.length === 0) return entries
  const byCall = new Map(results.map((result) => [result.callID, result]))
  return entries.map((entry) => {
    if (entry.kind !== 'message') return entry
    const calls = callsOf(entry.message.parts)
    if (calls.length === 0 || (!isNew.has(entry.key) && entry.results.length === calls.length)) return entry
    const found = calls.flatMap(({ callID }) => byCall.get(callID) ?? [])
    return found.length === entry.results.length ? entry : { ...entry, results: found }
  })
}
