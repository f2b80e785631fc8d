// What a tool result says that no tool has said: bough puts it there, and front ends tell by it what became of the call.

/** The output of a call that was denied; the agent reads it too. */
export const deniedOutput = (reason: string): string => `${denied} ${reason}`

export const isDenied = (output: string): boolean => output.startsWith(denied)

const denied = 'Denied:'

/** The output of a call that had no result when its turn ended: an agent must never be given a call without one. */
export const cutOffOutput = 'The turn ended before this had a result.'
