/** Whether a session's agent runs in a sandbox: `auto` where the machine can, `on` or not at all. */
export const sandboxModes = ['off', 'auto', 'on'] as const

export type SandboxMode = (typeof sandboxModes)[number]
