// JSON leaves these characters bare, yet terminals obey them: an escaped one is the same JSON.
const terminalControls = /[\u007f-\u009f]/g

export const toJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    terminalControls,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
