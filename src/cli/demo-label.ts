/** Marks the sessions of a whole demo; a fork of one has it too, wherever it works. */
export const demoLabel = 'demo'
