import { dirname } from 'node:path'
import type { Confinement } from './rule.ts'

/**
 * The profile of `sandbox-exec` for a program. Of its rules the last that fits decides: those for ancestors come first. It can
 * neither send events to other programs, nor have the system start any, which would run outside.
 */
export function seatbeltProfile({ rules, temporary, network }: Confinement): string {
  const visible = rules.filter(({ access }) => access === 'read' || access === 'write')
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))',
    '(deny appleevent-send lsopen)',
    '(deny mach-lookup (global-name "com.apple.pasteboard.1"))',
    ...(network === 'own'
      ? ['(deny network*)']
      : ['(deny network-outbound (remote unix-socket))', nameServer]),
    ...rules.map(({ path, access, isDirectory }) => linesFor(path, access, isDirectory)),
    ...ancestorsOf(visible.map(({ path }) => path)).map(
      (path) => `(allow file-read-metadata (literal ${quoted(path)}))`,
    ),
    `(allow file-read* file-write* (subpath ${quoted(temporary)}))`,
    '',
  ].join('\n')
}

function linesFor(
  path: string,
  access: Confinement['rules'][number]['access'],
  isDirectory: boolean,
): string {
  const where = `(${isDirectory ? 'subpath' : 'literal'} ${quoted(path)})`
  switch (access) {
    case 'hidden':
    case 'scratch':
      return `(deny file-read* file-write* ${where})`
    case 'read':
      return `(allow file-read* ${where})\n(deny file-write* ${where})`
    case 'write':
      return `(allow file-read* file-write* ${where})\n(allow network-outbound (remote unix-socket ${where}))`
  }
}

/** They may be hidden, and still lead to what is not. */
function ancestorsOf(paths: readonly string[]): readonly string[] {
  const up = (path: string): readonly string[] =>
    dirname(path) === path ? [] : [dirname(path), ...up(dirname(path))]
  return [...new Set(paths.flatMap(up))].toSorted()
}

/** Names of hosts are asked for here. */
const nameServer = '(allow network-outbound (literal "/private/var/run/mDNSResponder"))'

const quoted = (path: string): string => `"${path.replace(/["\\]/g, '\\$&')}"`
