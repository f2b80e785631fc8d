import { expect, test } from 'vitest'
import { seatbeltProfile } from './seatbelt.ts'

// No Mac runs these tests: they compare text. What it does there has not been tried.
test('the profile for macOS names what is hidden, what can be read and what can be written, the deepest last', () => {
  const profile = seatbeltProfile({
    rules: [
      { path: '/Users/me/.ssh', access: 'hidden', isDirectory: true },
      { path: '/Users/me/data', access: 'hidden', isDirectory: true },
      { path: '/Users/me/data/a "tree"', access: 'write', isDirectory: true },
      { path: '/Users/me/data/a "tree"/.git', access: 'read', isDirectory: false },
    ],
    cwd: '/Users/me/data/a "tree"',
    temporary: '/private/tmp/own',
    network: 'shared',
  })
  expect(profile).toBe(`(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys[0-9]+$"))
(deny appleevent-send lsopen)
(deny mach-lookup (global-name "com.apple.pasteboard.1"))
(deny network-outbound (remote unix-socket))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(deny file-read* file-write* (subpath "/Users/me/.ssh"))
(deny file-read* file-write* (subpath "/Users/me/data"))
(allow file-read* file-write* (subpath "/Users/me/data/a \\"tree\\""))
(allow network-outbound (remote unix-socket (subpath "/Users/me/data/a \\"tree\\"")))
(allow file-read* (literal "/Users/me/data/a \\"tree\\"/.git"))
(deny file-write* (literal "/Users/me/data/a \\"tree\\"/.git"))
(allow file-read-metadata (literal "/"))
(allow file-read-metadata (literal "/Users"))
(allow file-read-metadata (literal "/Users/me"))
(allow file-read-metadata (literal "/Users/me/data"))
(allow file-read-metadata (literal "/Users/me/data/a \\"tree\\""))
(allow file-read* file-write* (subpath "/private/tmp/own"))
`)
})
