import { isNumber } from './xml.ts'

// Text that a cell shows according to its number format.

/**
 * Number formats that a workbook uses by a predefined number, without defining them. Currency symbols are omitted: they
 * depend on the program.
 */
const builtIn: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '#,##0_);(#,##0)',
  6: '#,##0_);[Red](#,##0)',
  7: '#,##0.00_);(#,##0.00)',
  8: '#,##0.00_);[Red](#,##0.00)',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  37: '#,##0 ;(#,##0)',
  38: '#,##0 ;[Red](#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;[Red](#,##0.00)',
  41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  42: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
  43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  44: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
  48: '##0.0E+0',
  49: '@',
}

/** True for a predefined date or time format; 27 to 36 and 50 to 58 are for East Asian countries. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** A number format of a workbook. */
export class NumberFormat {
  readonly isDate: boolean
  /** Sections for positive, negative, zero and text; undefined for conditions and other unsupported syntax. */
  readonly #sections: readonly (readonly Token[])[] | undefined

  /** `code`: the format code, if the workbook defines the format. */
  constructor(id: number, code: string | undefined) {
    const sections = sectionsOf(code ?? builtIn[id] ?? (isBuiltInDate(id) ? 'yyyy' : ''))
    this.isDate = sections?.some((tokens) => tokens.some(({ kind }) => kind === 'date')) === true
    this.#sections = sections
  }

  /**
   * The displayed text of a cell, if the text differs from the cell's value by more than rounding; null if unknown.
   * Undefined if the cell shows its value.
   */
  otherThan(text: string, kind: 'number' | 'text'): string | null | undefined {
    const shown = kind === 'number' ? this.#ofNumber(text) : this.#ofText(text)
    if (shown === undefined) return null
    const plain = shown.replace(/[,\s]/g, '')
    if (shown === text || (kind === 'number' && plain !== '' && isNumber(plain) && isRounded(Number(text), plain))) {
      return undefined
    }
    return shown.trim()
  }

  /** The displayed number, with a decimal point; undefined if unknown. */
  #ofNumber(text: string): string | undefined {
    const sections = this.#sections
    const number = Number(text)
    const [positive, negative = positive, zero = positive] = sections ?? []
    const tokens = number < 0 ? negative : number === 0 ? zero : positive
    if (!sections || !tokens) return undefined
    const sign = number < 0 && sections.length < 2 ? '-' : ''
    const shown = numberShown(text.replace(/^-/, ''), tokens)
    return shown === undefined ? undefined : sign + shown
  }

  #ofText(text: string): string | undefined {
    const sections = this.#sections
    if (!sections) return undefined
    const last = sections.at(-1) ?? []
    const hasText = sections.length === 4 || last.some(({ kind }) => kind === 'text')
    return hasText ? last.map(({ kind, text: literal }) => (kind === 'text' ? text : literal)).join('') : text
  }
}

/** True if `written` is the number, rounded to the decimals that `written` has. */
function isRounded(number: number, written: string): boolean {
  const [, fraction = ''] = written.split('.')
  return Math.abs(number - Number(written)) <= 0.500001 * 10 ** -fraction.length
}

interface Token {
  /** `digit`: a placeholder for a digit. `other`: changes the number in an unsupported way. */
  readonly kind: 'digit' | 'point' | 'comma' | 'text' | 'general' | 'date' | 'literal' | 'other'
  readonly text: string
}

const grammar =
  /"([^"]*)"|\\([\s\S])|_[\s\S]|\*([\s\S])|\[([^\]]*)\]|(General)|([0#?])|(\.)|(,)|(@)|(;)|(%|E[+-]|\/)|([ymdhs]+)|([\s\S])/giu

/**
 * Content of brackets: a colour (`[Red]`), or the currency, calendar and digits of a country (`[$₡-140A]`). Elapsed
 * times: `[h]`.
 */
const bracket =
  /^(?:(black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)|\$([^-\]]*)(?:-[\da-f,x]*)?|([hms]+))$/i

function sectionsOf(code: string): readonly (readonly Token[])[] | undefined {
  const sections: Token[][] = [[]]
  const add = (kind: Token['kind'], text: string) => sections.at(-1)?.push({ kind, text })
  for (const found of code.replace(/am\/pm|a\/p/gi, 'h').matchAll(grammar)) {
    const [all, quoted, escaped, fill, inside, general, digit, point, comma, text, end, other, date, rest] = found
    if (inside !== undefined) {
      const [, colour, currency, time] = bracket.exec(inside) ?? []
      if (time !== undefined) add('date', '')
      else if (currency !== undefined) add('literal', currency)
      else if (colour === undefined) return undefined
    } else if (end !== undefined) sections.push([])
    else if (general !== undefined) add('general', '')
    else if (digit !== undefined) add('digit', digit)
    else if (point !== undefined) add('point', '.')
    else if (comma !== undefined) add('comma', ',')
    else if (text !== undefined) add('text', '@')
    else if (other !== undefined) add('other', other)
    else if (date !== undefined) add('date', date)
    else if (all.startsWith('_')) add('literal', ' ')
    else add('literal', quoted ?? escaped ?? fill ?? rest ?? '')
  }
  return code === '' || sections.length > 4 ? undefined : sections
}

/**
 * A number without its sign, formatted with the digit placeholders of a section; undefined if the format is not
 * supported.
 */
function numberShown(text: string, tokens: readonly Token[]): string | undefined {
  if (tokens.some(({ kind }) => kind === 'other' || kind === 'date')) return undefined
  const isGeneral = tokens.some(({ kind }) => kind === 'general' || kind === 'text')
  const digits = tokens.filter(({ kind }) => kind === 'digit')
  if (isGeneral || digits.length === 0) {
    if (digits.length > 0) return undefined
    return tokens
      .map(({ kind, text: literal }) =>
        kind === 'literal' ? literal : kind === 'general' || kind === 'text' ? text : '',
      )
      .join('')
  }
  const first = tokens.findIndex(({ kind }) => kind === 'digit')
  const last = tokens.findLastIndex(({ kind }) => kind === 'digit')
  const point = tokens.findIndex(({ kind }) => kind === 'point')
  const commas = tokens.flatMap(({ kind }, at) => (kind === 'comma' ? [at] : []))
  // A comma after the last digit divides by a thousand.
  if (commas.some((at) => at > last || (point !== -1 && at > point) || tokens[at + 1]?.kind === 'point'))
    return undefined
  if (point !== -1 && tokens.filter(({ kind }) => kind === 'point').length > 1) return undefined
  const decimals = point === -1 ? 0 : tokens.slice(point).filter(({ kind }) => kind === 'digit').length
  const number = Number(text)
  if (number >= 1e15 || decimals > 20) return undefined
  const [whole = '', fraction = ''] = number.toFixed(decimals).split('.')
  const before = point === -1 ? tokens.length : point
  const shown = wholeShown(
    whole === '0' ? '' : whole,
    tokens.slice(0, before),
    commas.some((at) => at > first),
  )
  let place = 0
  const after = tokens.slice(before).map(({ kind, text: own }) => {
    if (kind !== 'digit') return own
    place += 1
    const isNeeded = own === '0' || /[1-9]/.test(fraction.slice(place - 1))
    return isNeeded ? fraction.charAt(place - 1) : ''
  })
  return shown + after.join('')
}

/** Fills the placeholders from last to first; the first placeholder receives all remaining digits. */
function wholeShown(whole: string, tokens: readonly Token[], isGrouped: boolean): string {
  let rest = whole
  let count = 0
  let shown = ''
  const put = (digit: string) => {
    if (isGrouped && count > 0 && count % 3 === 0) shown = `,${shown}`
    count += 1
    shown = digit + shown
  }
  const first = tokens.findIndex(({ kind }) => kind === 'digit')
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    const { kind, text } = tokens[at] ?? { kind: 'literal', text: '' }
    if (kind === 'digit') {
      const digit = rest.at(-1) ?? (text === '0' ? '0' : '')
      rest = rest.slice(0, -1)
      if (digit !== '') put(digit)
      while (at === first && rest !== '') {
        put(rest.at(-1) ?? '')
        rest = rest.slice(0, -1)
      }
    } else if (kind !== 'comma') shown = text + shown
  }
  return first === -1 ? rest + shown : shown
}
