import { expect, test } from 'vitest'
import { typedCommand } from './command-line.ts'

test.each([
  [`/bin/bash -lc ls`, 'ls'],
  [`/bin/bash -lc 'echo hello > x.txt'`, 'echo hello > x.txt'],
  [`/usr/bin/zsh -c 'a; b'`, 'a; b'],
  [`/bin/sh -c "it's"`, "it's"],
  [`/bin/bash -lc "echo 'it''s' \\""'$HOME" | cat; echo b'`, `echo 'it''s' "$HOME" | cat; echo b`],
  [`/usr/local/bin/bash -lc 'two\nlines'`, 'two\nlines'],
])('%j is typed as %j', (command, typed) => {
  expect(typedCommand(command)).toBe(typed)
})

test.each([
  `git status`,
  `/bin/bash -lc 'a' extra`,
  `/bin/bash -x script`,
  `/bin/bash -lc 'open`,
  `/project/sh -lc 'git status'`,
  `./bash -lc 'git status'`,
  `/project/bin/sh -lc 'git status'`,
])('%j stays as it is', (command) => {
  expect(typedCommand(command)).toBe(command)
})
