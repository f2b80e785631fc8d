import { programOf } from './words.ts'

/**
 * Whether a program runs commands or code that its arguments name. What it does cannot be told from how its line begins,
 * so it is approved once only, and a rule that denies looks through it.
 */
export const isLauncher = (word: string): boolean =>
  launchers.has(
    programOf(word)
      .toLowerCase()
      .replace(/\.exe$/, '')
      .replace(/(?<=[a-z])[-\d.]+$/, ''),
  )

const launchers: ReadonlySet<string> = new Set([
  // Shells and their commands.
  ...[
    'sh',
    'bash',
    'zsh',
    'dash',
    'ash',
    'fish',
    'ksh',
    'mksh',
    'csh',
    'tcsh',
    'pwsh',
    'nu',
    'busybox',
    'toybox',
  ],
  ...['eval', 'exec', 'source', '.', 'command', 'builtin', 'trap', 'alias', 'noglob', 'nocorrect', 'time'],
  // Interpreters.
  ...[
    'python',
    'pypy',
    'node',
    'nodejs',
    'deno',
    'bun',
    'bunx',
    'perl',
    'ruby',
    'php',
    'lua',
    'luajit',
    'tclsh',
  ],
  ...['expect', 'awk', 'gawk', 'mawk', 'nawk', 'osascript', 'rscript', 'julia', 'tsx', 'ts-node'],
  // Programs that start others.
  ...[
    'env',
    'sudo',
    'doas',
    'su',
    'run',
    'pkexec',
    'xargs',
    'parallel',
    'find',
    'fd',
    'fdfind',
    'ssh',
    'timeout',
  ],
  ...['nohup', 'nice', 'ionice', 'chrt', 'setsid', 'stdbuf', 'unbuffer', 'script', 'watch', 'entr', 'strace'],
  ...[
    'ltrace',
    'gdb',
    'lldb',
    'chroot',
    'unshare',
    'nsenter',
    'bwrap',
    'flock',
    'taskset',
    'systemd-run',
    'at',
  ],
  ...['batch', 'crontab', 'screen', 'tmux', 'dbus-run-session', 'firejail', 'proot', 'fakeroot', 'setarch'],
])
