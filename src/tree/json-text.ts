// JSON leaves these characters bare. Terminals obey DEL and C1 controls, and show text in another order after bidirectional ones.
// An escaped one is the same JSON.
const shownOtherwise = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

export const toJson = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    shownOtherwise,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
