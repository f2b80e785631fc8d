// The entry. The version is answered before anything else is loaded, so that asking for it costs no more than Node itself.
import { version } from './version.ts'

const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  process.stdout.on('error', () => {
    process.exitCode = 1
  })
  process.stdout.write(`bough ${version}\n`)
} else if (argv.length === 1 && argv[0] === 'mcp') {
  // Agents wait for it whenever they are opened.
  const { serveTools } = await import('./serve-tools.ts')
  process.exitCode = await serveTools(process.env)
} else {
  // The terminal UI is the largest of all; for the others it would gain nothing.
  if (argv.length === 0) (await import('./keep-compiled.ts')).keepCompiled(process.env)
  const { run } = await import('./run.ts')
  process.exitCode = await run(argv)
}
