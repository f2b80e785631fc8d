/**
 * Files and directories from which programs take commands, wherever they lie: git, editors, package managers, shells and
 * desktops. Agents name theirs in `Driver.settings`.
 */
const protectedNames = [
  ...['.git', '.gitattributes', '.gitconfig', '.gitmodules', '.husky'],
  ...[
    '.devcontainer',
    '.devcontainer.json',
    '.idea',
    '.vscode',
    '.envrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
  ],
  ...['.bash_aliases', '.bash_login', '.bash_logout', '.bash_profile', '.bashrc', '.profile'],
  ...[
    '.zlogin',
    '.zlogout',
    '.zprofile',
    '.zshenv',
    '.zshrc',
    '.cshrc',
    '.kshrc',
    '.login',
    '.logout',
    '.mkshrc',
  ],
  ...['.tcshrc', 'config.fish', 'fish/completions', 'fish/conf.d', 'fish/functions', '.pam_environment'],
  ...[
    '.xinitrc',
    '.xprofile',
    '.xsession',
    '.xsessionrc',
    '.config/autostart',
    '.config/systemd',
    'LaunchAgents',
  ],
]

/** Whether one of the names that programs know is on a path, or one of `more`. */
export const hasProtectedName = (path: string, more: readonly string[]): boolean =>
  known.test(folded(path)) || matchesAny(path, more)

/** Whether a name or path is on a path; they may hold `*`, `**` and `?`. One that is absolute must match from the root. */
export const matchesAny = (path: string, patterns: readonly string[]): boolean =>
  patterns.length > 0 && expressionFor(patterns).test(folded(path))

/** Files that a command line seems to run, as patterns: the words in it that look like a path. */
export const filesNamedIn = (command: string | null): readonly string[] =>
  (command?.match(/[^\s;&|<>()'"`$=]+/g) ?? []).filter(
    (word) => /[./]/.test(word) && /\w/.test(word) && !word.startsWith('-'),
  )

/** As a file system compares names that ignores case, and characters that cannot be seen. */
export const folded = (path: string): string =>
  path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()

function expressionFor(patterns: readonly string[]): RegExp {
  const each = patterns.map((pattern) => {
    const steps = folded(pattern)
      .replace(/^(\.|\*\*)\/+/, '')
      .replace(/(\/(\*\*)?)+$/, '')
    return (steps.startsWith('/') ? '^' : '/') + steps.split(/\/+/).map(expressionForStep).join('/')
  })
  return new RegExp(`(?:${each.join('|')})(?:/|$)`)
}

function expressionForStep(step: string): string {
  if (step === '**') return '.*'
  const wild = (character: string): string => (character === '*' ? '[^/]*' : '[^/]')
  return step
    .split(/([*?]+)/)
    .map((part, i) => (i % 2 === 0 ? RegExp.escape(part) : [...part].map(wild).join('')))
    .join('')
}

const known = expressionFor(protectedNames)
