import fc from 'fast-check'

/** Any character that there is; fast-check's own `binary` takes seconds to make ready. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))
