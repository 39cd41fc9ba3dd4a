import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }

/**
 * Any character of Unicode. For `unit: 'binary'`, fast-check would build and keep a table of all 1.1 million, which
 * takes a second and 100 MB.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count))
