import globalConsole from 'node:console'
import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { keepQuiet } from './quiet-below.ts'

it('Nothing from below is written while the screen is up; it is told afterwards, but for signs of progress', async () => {
  const written: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  onTestFinished(() => write.mockRestore())
  const quiet = keepQuiet()
  globalConsole.error('from', 'below')
  process.stderr.write('a line\n')
  process.stderr.write('\r⠋ opening the store 1 s')
  process.emitWarning('take care')
  await once(process, 'warning')
  expect(written).toEqual([])
  quiet.end()
  quiet.end()
  expect(written).toEqual(['from below\n', 'a line\n', 'Warning: take care\n'])
  process.stderr.write('again\n')
  expect(written.at(-1)).toBe('again\n')
})
