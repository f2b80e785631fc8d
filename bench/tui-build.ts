// Bundles the programs that only the bench has, each by itself, as bough is bundled, into the directory that is given. It is a
// process of its own: the bundler would make the bench large, and a large process starts others more slowly.
import { join } from 'node:path'
import { build } from 'rolldown'

const [directory = ''] = process.argv.slice(2)

for (const name of ['bare', 'stream'])
  await build({
    cwd: join(import.meta.dirname, '..'),
    input: { [name]: `bench/tui-${name}.ts` },
    platform: 'node',
    output: { dir: join(directory, name), format: 'esm', chunkFileNames: '[name].js' },
  })
