import fc from 'fast-check'

/** Characters that payctl must remove: controls, bidi controls, tags, and zero-width characters. */
export const unseen = /\u034f|[\p{Cc}\p{Bidi_Control}\u00ad\u115f\u200b\u200c\u2060\u3164\ufeff\u{e0000}-\u{e0fff}]/u

/** Strings with characters that break formats: control characters, quotes, separators, formula signs, line ends. */
export const hostileText = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom(
      '\u202e',
      '\u200c',
      '\u200d',
      '\u00ad',
      '\u034f',
      '\u3164',
      '\ufe0f',
      '\ufeff',
      '\u{e0041}',
      '\u{e0100}',
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
