import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { newHome } from '../../../test/support/bough.ts'
import { thisProcess } from '../../process-identity.ts'
import { announce } from '../../server/announcement.ts'
import { tokenFor } from './server-token.ts'

it('The token for a server is the one in the file that this server names, also where another started after it', async () => {
  const home = await newHome()
  mkdirSync(home.data, { recursive: true })
  const serves = async (port: number) => {
    const [url, tokenFile] = [`http://127.0.0.1:${port}`, join(home.data, `token-${port}`)]
    writeFileSync(tokenFile, `token-of-the-server-at-${port}`, { mode: 0o600 })
    onTestFinished(await announce(home, { url, tokenFile, process: thisProcess() }))
    return url
  }
  const [first, second] = [await serves(1), await serves(2)]
  const sources = { given: undefined, file: undefined, home }
  expect(await tokenFor(first, sources)).toBe('token-of-the-server-at-1')
  expect(await tokenFor(second, sources)).toBe('token-of-the-server-at-2')
})
