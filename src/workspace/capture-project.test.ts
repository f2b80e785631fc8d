import { homedir } from 'node:os'
import { expect, it } from 'vitest'
import { captureProject } from './capture-project.ts'
import { newDirectory } from './testing/ground.ts'

it.each(['/', homedir()])('%s is no project: nobody wants a copy of all that', async (root) => {
  await expect(captureProject(await newDirectory('data'), root)).rejects.toMatchObject({
    code: 'snapshot_failed',
    message: expect.stringContaining('is no project'),
  })
})
