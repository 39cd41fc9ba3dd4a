import fc from 'fast-check'

/** Text full of what formats trip over: control characters, quotes, separators, formula signs, line ends. */
export const hostileText = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom(
      '\u202e',
      '\u2028',
      '\u2029',
      '\u00a0',
      '\u200b',
      '\uff1d',
      '\uff0b',
      '\ufe62',
      '\u202a',
      '\u2066',
      '\u2069',
      '"',
      "'",
      ',',
      ';',
      '\n',
      '\r',
      '\t',
      '=',
      '+',
      '-',
      '@',
      '0',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  ),
})
