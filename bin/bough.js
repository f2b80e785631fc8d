#!/usr/bin/env node
// The launcher. It runs on any Node from 20 up: one that is too old for bough starts the pinned one from
// node_modules instead, or says which Node is needed. In a checkout it runs the sources, else the bundle.
// No static imports: the usual path needs next to nothing, and importing `node:fs` alone costs 10 % of a start.
const needed = 24
const at = (path) => new URL(path, import.meta.url)
const signals = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']

if (Number(process.versions.node.split('.')[0]) >= needed) {
  if (process.env.BOUGH_LAUNCHED && process.channel) {
    // What we start ourselves has another parent.
    delete process.env.BOUGH_LAUNCHED
    const { heedLauncher } = await import('./heed-launcher.js')
    heedLauncher(signals)
  }
  const { existsSync } = process.getBuiltinModule('node:fs')
  if (existsSync(at('../src/cli/main.ts'))) {
    // Taking the types off a hundred files takes longer than most commands.
    const cache = decodeURI(at('../node_modules/.cache/bough').pathname)
    process.getBuiltinModule('node:module').enableCompileCache(cache)
    await import('../src/cli/main.ts')
  } else {
    await import('../lib/bough.js')
  }
} else {
  await runPinnedNode()
}

async function runPinnedNode() {
  const { spawn } = await import('node:child_process')
  const { existsSync } = await import('node:fs')
  const { fileURLToPath } = await import('node:url')
  const pinned = fileURLToPath(at('../node_modules/.bin/node'))
  if (!existsSync(pinned)) {
    const advice = existsSync(at('../src/cli/main.ts'))
      ? '"npm start" installs the right one.'
      : 'Install a newer one (https://nodejs.org), and put it first on your PATH.'
    console.error(`bough: needs Node ${needed} or newer, this is ${process.version}. ${advice}`)
    process.exitCode = 1
    return
  }
  const { restoreTerminal, terminalModes } = await import('./restore-terminal.js')
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const env = { ...process.env, BOUGH_LAUNCHED: '1' }
  const [first = '--'] = process.argv.slice(2)
  const hadWholeScreen = first.startsWith('--')
  const modes = terminalModes()
  const child = spawn(pinned, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  for (const signal of signals) process.on(signal, () => child.send(signal, () => {}))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    // By other signals it has given the terminal back itself.
    if (modes !== null && !signals.includes(signal)) restoreTerminal(modes, { hadWholeScreen })
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
