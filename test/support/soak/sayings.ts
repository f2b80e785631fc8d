import { anyOf, anyText } from '../comeback-acts.ts'
import { commands } from './ground.ts'
import type { Said } from './said.ts'

/** What a person writes: a word by which it is known again, and often something to do. */
export function anyPrompt(random: () => number, said: Said): string {
  const mark = said.newMark()
  const deed = anyDeed(random)
  return deed === null ? mark : `${mark}\n${deed}`
}

const anyDeed = (random: () => number): string | null =>
  anyOf(random, [
    () => null,
    () => `words ${1 + Math.floor(random() * 60)}`,
    () => `write src/${anyName(random)}.txt: ${random()}`,
    () => `append notes.txt: ${random()}`,
    () => `delete src/${anyName(random)}.txt`,
    () => `run ${commands.free}`,
    () => `run sleep ${1 + Math.floor(random() * 8)}`,
    () => `run ${commands.asked}`,
    () => 'sleep 0.3',
    () => anyText(random),
    () => anyText(random),
    () => anyText(random),
  ])()

const anyName = (random: () => number): string => anyOf(random, ['soup', 'salad', 'bread', 'cake'])
