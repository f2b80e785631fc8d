/** What other tools need for the same work. Measured elsewhere, once, on a busy machine with two cores. */
export const peers: readonly string[] = [
  'fork at 1,000 messages: opencode 4,296 ms · Claude 47–102 ms · Codex 69 ms · pi 26–28 ms',
  'fork at 10,000 messages: Claude 419–1,076 ms · Codex 238 ms · pi 254–429 ms',
  'disk per fork, at their largest: Claude 16 MB · opencode 14.5 MB · pi 14 MB · Codex 23 KB',
  'start: opencode server 3.6 s · pi --version 1–1.4 s · codex 20–41 ms · claude 15–18 ms',
]
