import { agentNames } from '../../config-options.ts'
import type { Option, Positional } from '../command.ts'

// Options and words that several commands take.

export const json: Option = { name: 'json', description: 'Print JSON instead of text' }
export const title: Option = {
  name: 'title',
  value: 'TEXT',
  description: 'Its title; otherwise its first prompt names it',
}
export const agent: Option = {
  name: 'agent',
  value: 'NAME',
  suggests: agentNames,
  description: 'The agent it talks to',
}
/** Of a schedule. */
export const mode: Option = {
  name: 'mode',
  value: 'MODE',
  suggests: ['background', 'main'],
  description: 'background (default) or main',
}
export const model: Option = { name: 'model', value: 'NAME', description: 'The model that agent uses' }
export const sandbox: Option = {
  name: 'sandbox',
  value: 'MODE',
  suggests: ['off', 'auto', 'on'],
  description: 'Run its agent in a sandbox: off, auto (where that works here) or on',
}
export const limit: Option = { name: 'limit', value: 'N', description: 'At most so many, the newest' }
export const dryRun: Option = { name: 'dry-run', description: 'Only say what it would do' }

export const runFiles: Option = {
  name: 'files',
  value: 'MODE',
  suggests: ['same', 'worktree', 'clean'],
  description: 'same, worktree or clean: where it works (default: forks.background.files)',
}

export const allow: Option = {
  name: 'allow',
  value: 'TOOLS',
  description:
    'The only tools that it may use, with commas between them; never more than your settings allow',
}

export const session: Positional = {
  name: 'session',
  label: '<session>',
  required: true,
  suggests: 'sessions',
}
export const maybeSession: Positional = {
  name: 'session',
  label: '[session]',
  required: false,
  suggests: 'sessions',
}
export const point: Positional = {
  name: 'session',
  label: '<session>[@message]',
  required: true,
  suggests: 'sessions',
}

export const text: Positional = { name: 'text', label: '<text or ->', required: true }
