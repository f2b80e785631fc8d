import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OpenGround, refused } from './ground.ts'

export const trust = (open: OpenGround) =>
  describe('trust', () => {
    it('is granted for what the person has seen, listed, and taken back', async () => {
      const { bough, session, directory } = await open({ files: { 'a.txt': 'a\n' } })
      await session()
      expect(await bough.trust(directory)).toMatchObject({ root: directory, state: 'untrusted' })
      expect(await bough.grantTrust(directory, [])).toMatchObject({ state: 'trusted' })
      mkdirSync(join(directory, 'below'))
      expect(await bough.trust(join(directory, 'below'))).toMatchObject({ state: 'trusted' })
      expect(await bough.trusted()).toMatchObject([{ root: directory }])
      expect(await bough.revokeTrust(directory)).toMatchObject({ state: 'untrusted' })
      expect(await bough.trusted()).toEqual([])
      writeFileSync(join(directory, 'file'), '')
      await refused(bough.trust(join(directory, 'file')), 'directory_gone')
    })
  })
