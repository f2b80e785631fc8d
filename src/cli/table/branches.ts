import { filesModes } from '../../tree/files-mode.ts'
import { contextModes } from '../../tree/fork-seed.ts'
import type { Command } from '../command.ts'
import { agent, dryRun, json, model, point, sandbox, session, title } from './common.ts'

/** Commands for forks that a person makes, and for their files. */
export const branches: readonly Command[] = [
  {
    name: 'fork',
    summary: "Fork a session at a message; prints the new session's id",
    details: [
      'The fork knows everything up to and including the message, and nothing after it. Without a message it begins',
      'at the newest one. The session that was forked does not change.',
      '',
      'Its files, by --files:',
      '  auto      the same directory while its files are as they were at the message, else a worktree (default)',
      '  worktree  a new git worktree on a new branch, with the uncommitted files uncommitted again',
      '  clean     a new git worktree with the files of the commit, nothing uncommitted',
      '  same      the same directory, files as they are now',
      '  restore   the same directory, files put back to that message, after asking; "bough undo" takes it back',
      'At the newest message a new worktree has the current commit and files, at an earlier one those of that message.',
      '',
      'How it gets the conversation, by --context:',
      '  auto      natively where its agent can begin there by itself, else by a seed (default)',
      '  native    natively or not at all',
      '  seed      the whole conversation as one prompt to a new session of the agent',
      '',
      'Examples:',
      '  bough fork k3f9qa',
      '  bough fork k3f9qa@7x2m4c --before --prompt "Try it the other way"',
      '  bough fork k3f9qa --agent codex',
    ].join('\n'),
    personOnly: (args) =>
      args.flag('background')
        ? '--background'
        : args.value('prompt') !== undefined
          ? '--prompt'
          : args.value('files') === 'restore'
            ? '--files restore'
            : null,
    positionals: [point],
    options: [
      { name: 'before', description: 'Begin before the message instead of after it' },
      title,
      { ...agent, description: 'Another agent than that of the forked session' },
      { ...model, description: 'Another model than that of the forked session' },
      {
        name: 'files',
        value: 'MODE',
        suggests: filesModes,
        description: 'auto, worktree, clean, same or restore',
      },
      sandbox,
      { name: 'context', value: 'MODE', suggests: contextModes, description: 'auto, native or seed' },
      {
        name: 'yes',
        short: 'y',
        description: 'Go ahead without asking; "restore" needs it without a terminal',
      },
      {
        name: 'prompt',
        value: 'TEXT',
        description: 'Send this to the fork at once, and stream the reply; - reads stdin',
      },
      {
        name: 'background',
        description: 'Let the prompt run unattended: the same as "bough run … --background"',
      },
      json,
    ],
    load: () => import('../commands/fork.ts'),
  },
  {
    name: 'files',
    summary: 'Show what a turn changed in the files, as a diff',
    details: 'With @message: the turn that this message belongs to. Without: the last one.',
    personOnly: false,
    positionals: [point],
    options: [{ name: 'now', description: 'How the files there differ now from what they were then' }, json],
    load: () => import('../commands/files.ts'),
  },
  {
    name: 'diff',
    summary: 'Show where two sessions part, and what each said after that',
    details: [
      'With --files also how their files differ: in a worktree of its own as they are now, else as captured last.',
      'Then either side may also be a message (<session>@<message>), a snapshot (snp_…) or a directory; of those only the',
      'files are compared.',
    ].join('\n'),
    personOnly: false,
    positionals: [
      { ...session, name: 'a', label: '<session>' },
      { ...session, name: 'b', label: '<session>' },
    ],
    options: [{ name: 'files', description: 'How their files differ, too' }, json],
    load: () => import('../commands/diff.ts'),
  },
  {
    name: 'undo',
    summary: 'Take back the last restore in this directory',
    details: [
      'Puts back the files that "fork --files restore" changed, and only those. What is there now is saved first. With a',
      'snapshot: puts the files of that snapshot back.',
    ].join('\n'),
    personOnly: (args) => (args.flag('dry-run') ? null : ''),
    positionals: [{ name: 'snapshot', label: '[snapshot]', required: false }],
    options: [
      { name: 'finish', description: 'Finish a restore that was cut off, instead of taking it back' },
      dryRun,
      { name: 'yes', short: 'y', description: 'Do not ask' },
      { name: 'dir', value: 'DIR', description: 'The directory; otherwise this one' },
      json,
    ],
    load: () => import('../commands/undo.ts'),
  },
  {
    name: 'gc',
    summary: 'Clean up worktrees, branches and snapshots that nobody needs',
    details: [
      'Worktrees of deleted and archived sessions go; uncommitted work in them is saved to a snapshot first, and a branch',
      'with commits of its own stays. Of old snapshots fewer are kept, but all that a fork stands on. Drafts of turns that',
      'nobody runs any more become interrupted messages, and what an import left that was killed goes. What git ignores in a',
      'worktree goes with it, and is named. Nothing else is lost.',
    ].join('\n'),
    personOnly: (args) => (args.flag('dry-run') ? null : ''),
    positionals: [],
    options: [dryRun, json],
    load: () => import('../commands/gc.ts'),
  },
]
