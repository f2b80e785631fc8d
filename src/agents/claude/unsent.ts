import * as z from 'zod/mini'
import type { Start } from '../driver.ts'
import { without } from '../unsent-prompts.ts'
import type { Sdk } from './find-claude.ts'

const spoken = z.object({
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }))]),
})

/** Which prompts Claude has not got yet. One that was killed in the middle of a turn has noted its prompt. */
export async function lackingIn(
  sdk: Sdk,
  start: Start,
  cwd: string,
  unsent: readonly string[],
): Promise<readonly string[]> {
  if (start.kind !== 'resume' || unsent.length === 0) return unsent
  const history = await sdk.getSessionMessages(start.nativeID, { dir: cwd })
  const known = history.findIndex(({ uuid }) => uuid === start.at)
  // Where that entry is not there, nobody knows what is new.
  const after = start.at !== null && known < 0 ? [] : history.slice(known + 1)
  return without(
    unsent,
    after.flatMap(({ type, message }) => (type === 'user' ? textsOf(message) : [])),
  )
}

function textsOf(message: unknown): readonly string[] {
  const { data } = spoken.safeParse(message)
  if (!data) return []
  return typeof data.content === 'string' ? [data.content] : data.content.flatMap(({ text }) => text ?? [])
}
