/** What other tools need for the same work. Measured elsewhere, once, on a busy machine with two cores. */
export const elsewhere: readonly string[] = [
  'fork at 1,000 messages: opencode 4,296 ms · Claude 47–102 ms · Codex 69 ms · pi 26–28 ms',
  'fork at 10,000 messages: Claude 419–1,076 ms · Codex 238 ms · pi 254–429 ms',
  'disk per fork, at their largest: Claude 16 MB · opencode 14.5 MB · pi 14 MB · Codex 23 KB',
  'start: opencode server 3.6 s · pi --version 1–1.4 s · codex 20–41 ms · claude 15–18 ms',
  'terminal UI, empty, first frame: pi-tui 0.31–0.38 s, bundled 0.25–0.33 s · ink 8 0.8–1.2 s, bundled 0.41–0.54 s',
  '  with 2,000 messages: pi-tui 0.9–1.1 s · ink 8 1.0–1.4 s · opentui 0.8 0.8–1.3 s',
  '  while 500 tokens/s stream into them, CPU: pi-tui 16–17 % · ink 8 42–70 % · opentui 0.8 70 %',
  '  key to screen, p50 / longest: pi-tui 2–3 / 8 ms · ink 8 38–55 / 123 ms · opentui 0.8 17–23 / 71 ms',
  '  memory: pi-tui 107 MB · ink 8 200–228 MB · opentui 0.8 350 MB',
]
