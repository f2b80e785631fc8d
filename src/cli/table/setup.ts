import { configOptions } from '../../config-options.ts'
import type { Command } from '../command.ts'
import { json } from './common.ts'

/** Commands that set bough up and explain it. */
export const setup: readonly Command[] = [
  {
    name: 'config',
    summary: 'Read and set options',
    details: [
      'Without a key: all options. With a key: its value. With a value too: sets it. A list is written as JSON.',
      '',
      'Examples:',
      '  bough config permissions.timeout 60',
      `  bough config permissions.allow '["run(git status*)"]'`,
    ].join('\n'),
    personOnly: (args) => (args.flag('unset') || args.optionalWord('value') !== undefined ? '' : null),
    positionals: [
      {
        name: 'key',
        label: '[key]',
        required: false,
        suggests: configOptions.map(({ key }) => key),
      },
      { name: 'value', label: '[value]', required: false },
    ],
    options: [{ name: 'unset', description: 'Put the default back' }, json],
    tooMany: 'Put the value in quotes.',
    load: () => import('../commands/config.ts'),
  },
  {
    name: 'trust',
    summary: 'Show what agents would load of a directory, and trust it',
    details: [
      'A project can ship hooks, servers, helpers, subagents, commands and skills for agents. Until you trust it, agents',
      'load and run none of them. What is new in a trusted project stays unloaded until you approve it in the same way.',
      'A repository is trusted with its worktrees, a plain directory with everything below. Nested repositories are asked',
      'separately. This machine keeps the answer.',
      '',
      'Examples:',
      '  bough trust',
      '  bough trust --list',
      '  bough trust ~/work/shop --remove',
    ].join('\n'),
    personOnly: (args) => (args.flag('list') ? null : ''),
    positionals: [{ name: 'directory', label: '[directory]', required: false }],
    options: [
      { name: 'list', description: 'List the trusted directories' },
      { name: 'remove', description: 'Trust it no more' },
      { name: 'yes', short: 'y', description: 'Trust it without asking' },
      json,
    ],
    load: () => import('../commands/trust.ts'),
  },
  {
    name: 'mcp',
    summary: "Serve bough's tools to an agent; agents start this themselves",
    personOnly: false,
    positionals: [],
    options: [],
    load: () => import('../commands/mcp.ts'),
  },
  {
    name: 'relay',
    summary: 'Lead an agent out of its sandbox to allowed hosts; bough starts this itself',
    personOnly: false,
    positionals: [],
    options: [],
    load: () => import('../commands/relay.ts'),
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    details: [
      'bash:  source <(bough completion bash)                        in ~/.bashrc',
      'zsh:   source <(bough completion zsh)                         in ~/.zshrc, after compinit',
      'fish:  bough completion fish > ~/.config/fish/completions/bough.fish',
      '',
      'The scripts themselves ask "bough completion sessions" for the ids to offer.',
    ].join('\n'),
    personOnly: false,
    positionals: [
      { name: 'shell', label: '<bash|zsh|fish>', required: true, suggests: ['bash', 'zsh', 'fish'] },
      { name: 'typed', label: '', required: false },
    ],
    options: [],
    load: () => import('../commands/completion.ts'),
  },
  {
    name: 'demo',
    summary: 'Make the sample project and its tree, or show the one that is there',
    personOnly: true,
    positionals: [],
    options: [{ name: 'fresh', description: 'Make a new one' }, json],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'doctor',
    summary:
      'Say what is set up, what is missing and how to fix it; try out whether agents ask before they act',
    personOnly: false,
    positionals: [],
    options: [json],
    load: () => import('../commands/doctor.ts'),
  },
  {
    name: 'help',
    summary: 'Say what bough or a command does',
    personOnly: false,
    positionals: [
      { name: 'command', label: '[command]', required: false },
      { name: 'action', label: '', required: false },
    ],
    options: [],
    load: () => import('../commands/help.ts'),
  },
]
