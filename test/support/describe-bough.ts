import { describe } from 'vitest'
import { type OpenGround, opener, type Reach } from './bough-suite/ground.ts'

/** One subject of the interface `Bough`, with its tests. */
export type Subject = (open: OpenGround) => unknown

/** All that the interface promises about some subjects, whichever way one comes to it. */
export function describeBough(name: string, reach: Reach, subjects: readonly Subject[]): void {
  describe(`bough, ${name}`, () => {
    for (const subject of subjects) subject(opener(reach))
  })
}
