import { renameSync, symlinkSync, unlinkSync } from 'node:fs'

// Swaps the directory that is its first argument for a link to its second, and back, again and again. In between it waits
// for a random part of a millisecond: otherwise there would be nothing to find.

const [directory = '', elsewhere = ''] = process.argv.slice(2)
process.stdout.write('began\n')
const nothing = new Int32Array(new SharedArrayBuffer(4))
for (;;) {
  Atomics.wait(nothing, 0, 0, Math.random())
  renameSync(directory, `${directory}.away`)
  symlinkSync(elsewhere, directory)
  unlinkSync(directory)
  renameSync(`${directory}.away`, directory)
}
