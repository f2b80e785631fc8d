import { homedir } from 'node:os'
import { expect, it } from 'vitest'
import { newDirectory } from '../testing/ground.ts'
import { withCapture } from './capture-project.ts'

it.each(['/', homedir()])('%s is no project: nobody wants a copy of all that', async (root) => {
  const data = await newDirectory('data')
  await expect(withCapture(data, root, async () => {})).rejects.toMatchObject({
    code: 'snapshot_failed',
    message: expect.stringContaining('is no project'),
  })
})
