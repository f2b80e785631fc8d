import { toldAndWords } from '../tree/prompts.ts'

/** Prompts without those that were heard; one that was said twice and heard once is left once. */
export function without(prompts: readonly string[], heard: readonly string[]): readonly string[] {
  const left = heard.map((prompt) => toldAndWords(prompt).words)
  return prompts.filter((prompt) => {
    const at = left.indexOf(prompt)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
