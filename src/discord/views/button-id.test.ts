import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacter } from '../../../test/support/any-character.ts'
import { seed } from '../../../test/support/size.ts'
import { createIds } from '../../tree/ids.ts'
import { type ButtonDeed, buttonID, deedOf } from './button-id.ts'

const ids = createIds(Date.now, (length) => crypto.getRandomValues(new Uint8Array(length)))

const deeds: readonly ButtonDeed[] = [
  ...(['save', 'report', 'discard'] as const).map(
    (action) => ({ kind: 'exit', action, forkID: ids.session() }) as const,
  ),
  { kind: 'put-back', forkID: ids.session() },
  { kind: 'ask', inquiryID: ids.inquiry() },
  ...(['once', 'session', 'always', 'every', 'deny'] as const).map(
    (answer) => ({ kind: 'answer', answer, permissionID: ids.permission() }) as const,
  ),
]

describe('the id of a button', () => {
  it.each(deeds)('says what it does: $kind', (deed) => {
    expect(deedOf(buttonID(deed))).toEqual(deed)
  })

  it('is one that Discord takes, and each has another', () => {
    for (const deed of deeds) expect(buttonID(deed).length).toBeLessThanOrEqual(100)
    expect(new Set(deeds.map(buttonID)).size).toBe(deeds.length)
  })

  it('that no button of ours has says nothing', () => {
    const [fork, permission] = [ids.session(), ids.permission()]
    const forged = [
      '',
      'exit',
      'exit:save',
      `exit:save:${permission}`,
      `exit:toString:${fork}`,
      `exit:save:${fork}:`,
      `exit:save:${fork} `,
      ` exit:save:${fork}`,
      `exit:save:${fork}\n`,
      `EXIT:save:${fork}`,
      `ask:x:${ids.inquiry()}`,
      `ask:${ids.inquiry()}`,
      `answer:once:${fork}`,
      `answer:forever:${permission}`,
      'over:save',
      'answer:once:per_*',
      "answer:once:per_' OR 1=1 --",
    ]
    expect(forged.filter((id) => deedOf(id) !== null)).toEqual([])
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (id) => deedOf(id) === null),
      {
        seed: seed(),
      },
    )
  })
})
