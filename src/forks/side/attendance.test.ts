import { expect, it, onTestFinished, vi } from 'vitest'
import { thisProcess } from '../../process-identity.ts'
import { Attendance } from './attendance.ts'
import { Awake, usualPatience } from './awake.ts'
import { Ground, RecordingFrontEnd } from './testing/ground.ts'

it('looks once more, however often it was to look while its front end took its time', async () => {
  const ground = await Ground.open({ isUnattended: true })
  await ground.fork()
  const store = await ground.store()
  const front = new RecordingFrontEnd()
  const [taken, hanging] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const looks = vi.spyOn(store.outbox, 'open')
  const process = thisProcess()
  const parts = { store, process, awake: new Awake(store, process, usualPatience), inHand: new Set<never>() }
  const attendance = new Attendance(parts, ground.channelID, {
    ...{ show: front.show, edit: front.edit, ask: front.ask },
    async send(what) {
      taken.resolve()
      await hanging.promise
      return front.send(what)
    },
  })
  onTestFinished(() => attendance.close())
  await taken.promise
  const before = looks.mock.calls.length
  const deliveries = Array.from({ length: 100 }, () => attendance.deliver())
  hanging.resolve()
  await Promise.all(deliveries)
  expect(front.kind('entered')).toHaveLength(1)
  expect(looks.mock.calls.length - before).toBeLessThan(10)
})
