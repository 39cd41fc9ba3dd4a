const plainNumber = /^[+-]?\d+(\.\d+)?$/

/** Removes spaces, line ends and invisible characters in front, as spreadsheets do before they interpret a cell. */
const asLookedAt = (text: string): string => text.replace(/^[\s\p{Z}\p{C}]+/u, '')

/** For CSV: a spreadsheet runs text that begins like a formula; an apostrophe prevents that. */
export const inert = (text: string): string => (isFormula(text) && !plainNumber.test(text) ? `'${text}` : text)

/**
 * Compatible forms such as full-width ones too. A tab or line end at the start begins another cell. The first character
 * alone is normalised: together with a combining mark it would become another one (`=` and U+0338 are `≠`).
 */
function isFormula(text: string): boolean {
  const [first = ''] = asLookedAt(text)
  return /^[\t\r\n]/.test(text) || /^[=+\-@\u2212]/.test(first.normalize('NFKC'))
}
