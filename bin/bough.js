#!/usr/bin/env node
// The launcher. It runs on any Node from 20 up: one that is too old for bough starts the pinned one from
// node_modules instead, or says which Node is needed. In a checkout it runs the sources, else the bundle.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const needed = 24
const at = (path) => fileURLToPath(new URL(path, import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await import(existsSync(at('../src/cli/main.ts')) ? '../src/cli/main.ts' : '../lib/bough.js')
} else if (existsSync(at('../node_modules/.bin/node'))) {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(at('../node_modules/.bin/node'), args, { stdio: 'inherit' })
  // The terminal sends its signals to both of us: the child decides what they mean.
  for (const signal of ['SIGINT', 'SIGQUIT']) process.on(signal, () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)))
} else {
  console.error(
    `bough: needs Node ${needed} or newer, this is ${process.version}. In a checkout, "npm start" installs the right one.`,
  )
  process.exitCode = 1
}
