import { configOptions } from '../config.ts'
import type { Command, Option, Positional } from './command.ts'

const json: Option = { name: 'json', description: 'Print JSON instead of text' }
const title: Option = {
  name: 'title',
  value: 'TEXT',
  description: 'Its title; otherwise its first prompt names it',
}
const agent: Option = { name: 'agent', value: 'NAME', description: 'The agent it talks to' }
const model: Option = { name: 'model', value: 'NAME', description: 'The model that agent uses' }
const limit: Option = { name: 'limit', value: 'N', description: 'At most so many, the newest' }
const dryRun: Option = { name: 'dry-run', description: 'Only say what it would do' }

const session: Positional = { name: 'session', label: '<session>', required: true, suggests: 'sessions' }
const maybeSession: Positional = {
  name: 'session',
  label: '[session]',
  required: false,
  suggests: 'sessions',
}
const point: Positional = {
  name: 'session',
  label: '<session>[@message]',
  required: true,
  suggests: 'sessions',
}

/** Every command. Each one's module is loaded only when it runs. */
export const commands: readonly Command[] = [
  {
    name: 'new',
    summary: 'Begin a session; prints its id',
    positionals: [],
    options: [
      agent,
      model,
      title,
      { name: 'dir', value: 'DIR', description: 'The directory it works in; otherwise this one' },
      json,
    ],
    load: () => import('./commands/new.ts'),
  },
  {
    name: 'send',
    summary: 'Run one turn: send a text, stream the reply',
    details: [
      'The reply goes to stdout, what the agent does to stderr. Ctrl-C interrupts the turn; what was said until',
      'then is kept. When the agent asks for a permission, a terminal asks you; elsewhere it waits for "bough approve".',
      '',
      'Examples:',
      '  bough send k3f9qa "What did we decide?"',
      '  git log | bough send k3f9qa -',
    ].join('\n'),
    positionals: [session, { name: 'text', label: '<text or ->', required: true }],
    options: [
      { ...agent, description: 'The agent that you think it talks to; another one is refused' },
      { ...model, description: 'The model that it uses from this turn on' },
      { name: 'json', description: "Print the turn's messages as JSON, the prompt first" },
    ],
    tooMany: 'Put the text in quotes.',
    load: () => import('./commands/send.ts'),
  },
  {
    name: 'chat',
    summary: 'Talk line by line',
    details: [
      'Without a session: the one last used in this directory, or a new one. Lines can also come from a pipe, one turn each.',
      'In the chat, /help lists its commands.',
    ].join('\n'),
    positionals: [maybeSession],
    options: [],
    load: () => import('./commands/chat.ts'),
  },
  {
    name: 'ls',
    summary: 'List sessions, the newest first',
    positionals: [],
    options: [
      { name: 'all', short: 'a', description: 'All of them, not only the 50 newest' },
      limit,
      { name: 'dir', value: 'DIR', description: 'Only those that work in this directory' },
      { ...agent, description: 'Only those of this agent' },
      json,
    ],
    load: () => import('./commands/ls.ts'),
  },
  {
    name: 'tree',
    summary: 'Draw the tree around a session, or all trees',
    positionals: [maybeSession],
    options: [json],
    load: () => import('./commands/tree.ts'),
  },
  {
    name: 'log',
    summary: "Print a session's messages, with those it inherited",
    details: [
      "With @message: up to that message. Without, also what was said in the agent's own tool since, and the beginning of the",
      'seed, where there was one.',
    ].join('\n'),
    positionals: [point],
    options: [limit, { name: 'seed', description: 'The whole seed' }, json],
    load: () => import('./commands/log.ts'),
  },
  {
    name: 'fork',
    summary: "Fork a session at a message; prints the new session's id",
    details: [
      'The fork knows everything up to and including the message, and nothing after it. Without a message it begins',
      'at the newest one. The session that was forked does not change.',
      '',
      'Its files, by --files:',
      '  auto      the same directory while its files are as they were at the message, else a worktree (default)',
      '  worktree  a new git worktree on a new branch, with the files as they were then, uncommitted ones too',
      '  clean     a new git worktree with the files of the commit of that time',
      '  same      the same directory, files as they are now',
      '  restore   the same directory, files put back to that message; "bough undo" takes it back',
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
    positionals: [point],
    options: [
      { name: 'before', description: 'Begin before the message instead of after it' },
      title,
      { ...agent, description: 'Another agent than that of the forked session' },
      { ...model, description: 'Another model than that of the forked session' },
      { name: 'files', value: 'MODE', description: 'auto, worktree, clean, same or restore' },
      { name: 'context', value: 'MODE', description: 'auto, native or seed' },
      { name: 'yes', short: 'y', description: 'Go ahead without asking' },
      {
        name: 'prompt',
        value: 'TEXT',
        description: 'Send this to the fork at once, and stream the reply; - reads stdin',
      },
      json,
    ],
    load: () => import('./commands/fork.ts'),
  },
  {
    name: 'resume',
    summary: "Print how to go on with a session in its agent's own tool",
    details: [
      'With --exec it runs that, in this terminal; what comes after "--" is given to the tool. Meanwhile nobody talks in the',
      'session here, and what was said there joins it afterwards.',
      '',
      'Examples:',
      '  bough resume k3f9qa',
      '  bough resume k3f9qa --exec',
    ].join('\n'),
    positionals: [session, { name: 'more', label: '[-- arguments…]', required: false, several: true }],
    options: [{ name: 'exec', description: 'Run it' }, json],
    load: () => import('./commands/resume.ts'),
  },
  {
    name: 'files',
    summary: 'Show what a turn changed in the files, as a diff',
    details: 'With @message: the turn that this message belongs to. Without: the last one.',
    positionals: [point],
    options: [{ name: 'now', description: 'How the files there differ now from what they were then' }, json],
    load: () => import('./commands/files.ts'),
  },
  {
    name: 'diff',
    summary: 'Show where two sessions part, and what each said after that',
    details: [
      'With --files also how their files differ: in a worktree of its own as they are now, else as captured last.',
      'Then either side may also be a message (<session>@<message>), a snapshot (snp_…) or a directory; of those only the',
      'files are compared.',
    ].join('\n'),
    positionals: [
      { ...session, name: 'a', label: '<session>' },
      { ...session, name: 'b', label: '<session>' },
    ],
    options: [{ name: 'files', description: 'How their files differ, too' }, json],
    load: () => import('./commands/diff.ts'),
  },
  {
    name: 'undo',
    summary: 'Take back the last restore in this directory',
    details: [
      'Puts back the files that "fork --files restore" changed, and only those. What is there now is saved first. With a',
      'snapshot: puts the files of that snapshot back.',
    ].join('\n'),
    positionals: [{ name: 'snapshot', label: '[snapshot]', required: false }],
    options: [
      { name: 'finish', description: 'Finish a restore that was cut off, instead of taking it back' },
      dryRun,
      { name: 'yes', short: 'y', description: 'Do not ask' },
      { name: 'dir', value: 'DIR', description: 'The directory; otherwise this one' },
      json,
    ],
    load: () => import('./commands/undo.ts'),
  },
  {
    name: 'gc',
    summary: 'Clean up worktrees, branches and snapshots that nobody needs',
    details: [
      'Worktrees of deleted and archived sessions go; uncommitted work in them is saved to a snapshot first, and a branch',
      'with commits of its own stays. Of old snapshots fewer are kept, but all that a fork stands on. Drafts of turns that',
      'nobody runs any more become interrupted messages, and what an import left that was killed goes. Nothing else is lost.',
    ].join('\n'),
    positionals: [],
    options: [dryRun, json],
    load: () => import('./commands/gc.ts'),
  },
  {
    name: 'rm',
    summary: 'Delete sessions',
    details: [
      'Forks of a deleted session live on: it stays in the tree as a tombstone for as long as they need its messages.',
      'Its worktree goes too, unless something in it would be lost.',
    ].join('\n'),
    positionals: [{ ...session, label: '<session>…', several: true }],
    options: [],
    load: () => import('./commands/rm.ts'),
  },
  {
    name: 'export',
    summary: 'Write a session to a file, to read it or to import it elsewhere',
    details: [
      'As Markdown for people, as JSON for "bough import". With all that it inherited; with @message up to that message.',
      'Its files and what the agent itself keeps of it are not in it.',
      '',
      'Examples:',
      '  bough export k3f9qa > soup.md',
      '  bough export k3f9qa --output soup.json',
    ].join('\n'),
    positionals: [point],
    options: [
      {
        name: 'format',
        value: 'FORMAT',
        description: 'md or json; otherwise by the name of the file, else md',
      },
      { name: 'output', short: 'o', value: 'FILE', description: 'Write to this file, instead of stdout' },
      { name: 'json', description: 'The same as --format json' },
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    summary: 'Adopt sessions of Claude Code and Codex, or one that was exported; without words, list them',
    details: [
      'Lists what Claude Code and Codex have for this directory and its worktrees. Adopted by its id, a session stays where',
      'it is and goes on here; forking it leaves the original as it was.',
      '',
      'A file is what "bough export --json" has written. The new session has the same messages, under ids of its own;',
      'importing it twice makes two.',
      '',
      'Examples:',
      '  bough import',
      '  bough import 1f0c2a4e 0199a1b2',
      '  bough import --all --agent claude',
      '  bough import soup.json',
      '  ssh kitchen bough export k3f9qa --json | bough import -',
    ].join('\n'),
    positionals: [{ name: 'what', label: '[id, file or -]…', required: false, several: true }],
    options: [
      { name: 'all', description: 'All that are listed' },
      {
        ...agent,
        description: 'Only those of this agent; for a file, another agent than the one it was with',
      },
      { name: 'dir', value: 'DIR', description: 'The directory; otherwise this one' },
      json,
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'approve',
    summary: 'Answer what agents ask; without an id, list it',
    positionals: [{ name: 'id', label: '[id]', required: false }],
    options: [
      { name: 'deny', description: 'Say no' },
      { name: 'session', description: 'Allow that tool for the rest of the session' },
      json,
    ],
    load: () => import('./commands/approve.ts'),
  },
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
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'mcp',
    summary: "Serve bough's tools to an agent; agents start this themselves",
    positionals: [],
    options: [],
    load: () => import('./commands/mcp.ts'),
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
    positionals: [
      { name: 'shell', label: '<bash|zsh|fish>', required: true, suggests: ['bash', 'zsh', 'fish'] },
      { name: 'typed', label: '', required: false },
    ],
    options: [],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'demo',
    summary: 'Make the sample project and its tree, or show the one that is there',
    positionals: [],
    options: [{ name: 'fresh', description: 'Make a new one' }, json],
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'doctor',
    summary: 'Say what is set up, what is missing and how to fix it',
    positionals: [],
    options: [json],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'help',
    summary: 'Say what bough or a command does',
    positionals: [{ name: 'command', label: '[command]', required: false }],
    options: [],
    load: () => import('./commands/help.ts'),
  },
]

/** What `bough` without a command does. */
export const start: Command = {
  name: 'start',
  summary: 'Open the demo',
  positionals: [],
  options: [],
  load: () => import('./commands/start.ts'),
}
