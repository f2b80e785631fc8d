import { expect, it } from 'vitest'
import { openTui } from '../testing/ground.ts'
import { ConfirmPanel } from './confirm-panel.ts'

it('what would be done can be read to its end and back, also with keys that come at once', async () => {
  const { app, press, screen } = await openTui()
  await screen('Esc looks back')
  const files = Array.from({ length: 40 }, (_, i) => `file-${i}`)
  const does = (): void => {}
  app.open(
    new ConfirmPanel(app, { title: 'Restore', question: 'Sure?', lines: () => files, yes: 'Yes', does }),
  )
  await screen(/Sure\?[\s\S]*file-0 [\s\S]*more below/)
  press('End')
  await screen('file-39')
  press('End', 'Home')
  await screen('file-0 ')
  press('End', 'Up')
  expect(await screen('file-38')).not.toContain('file-39')
})
