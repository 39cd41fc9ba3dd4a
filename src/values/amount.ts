/** Minor units, or why the text is no amount (a clause after the flag's name) and what to write instead. */
export type ParsedAmount = { readonly minor: number } | { readonly fault: string; readonly hint?: string }

const form = /^\d+(\.\d{1,2})?$/

/** Characters of the longest text that is read. */
const longestText = 100

/** Major units as typed (`1500.25`) to minor units, by moving digits: no floating point is involved. */
export function parseAmount(text: string): ParsedAmount {
  if (text.length > longestText) return { fault: `has ${text.length} characters`, hint: 'Write it like 1500.25' }
  if (form.test(text)) return toMinor(text)
  const likely = candidates(text).filter((candidate) => !/^0\d/.test(candidate) && isAmount(candidate))
  const fault = `"${text}" ${reason(text)}`
  return { fault, hint: likely.length > 0 ? `Did you mean ${likely.join(' or ')}?` : 'Write it like 1500.25' }
}

/** Minor units as typed (`150025`). */
export function parseMinorAmount(text: string): ParsedAmount {
  if (/^\d+$/.test(text)) return inRange(text)
  return { fault: `"${text}" is not a whole number of minor units`, hint: 'For 1500.25 write 150025' }
}

const isAmount = (text: string): boolean => form.test(text) && 'minor' in toMinor(text)

function toMinor(text: string): ParsedAmount {
  const [whole = '', cents = ''] = text.split('.')
  return inRange(whole + cents.padEnd(2, '0'))
}

function inRange(digits: string): ParsedAmount {
  const significant = digits.replace(/^0+/, '')
  if (significant === '') return { fault: 'must be greater than 0' }
  const minor = Number(significant)
  return Number.isSafeInteger(minor) ? { minor } : { fault: 'is too large' }
}

function reason(text: string): string {
  if (text.trim() === '') return 'is empty'
  if (/^[-−]/.test(text)) return 'is negative'
  if (/\p{Nd}/u.test(text.replace(/\d/g, ''))) return 'has digits other than 0 to 9'
  if (/^\d+\.\d{3,}$/.test(text)) return 'has more than two decimals'
  if (/^[\d.,\s'’_]+$/.test(text)) return 'may have only one point, before one or two decimals, and no other separators'
  return 'is not digits with at most two decimals'
}

/** Corrections, most likely first. The caller drops those that are no amount. */
function candidates(text: string): readonly string[] {
  const bare = text
    .trim()
    .replace(/^[A-Z]{3}\s*|\s*[A-Z]{3}$/gi, '')
    .replace(/^[₡$]\s*/, '')
    .replace(/^[-+−]/, '')
    .replace(/(?<=\d)[\s'’_](?=\d{3})/g, '')
  if (/^\.\d{1,2}$/.test(bare)) return [`0${bare}`]
  if (/^\d+\.$/.test(bare)) return [bare.slice(0, -1)]
  if (/^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(bare)) return [bare.replaceAll(',', '')]
  if (/^\d{1,3}(\.\d{3})+(,\d{1,2})?$/.test(bare)) {
    const asThousands = bare.replaceAll('.', '').replace(',', '.')
    return /^\d+\.\d+$/.test(bare) ? [asThousands, bare.slice(0, -1)] : [asThousands]
  }
  if (/^\d+\.\d{3,}$/.test(bare)) return [bare.replace(/(\.\d\d).*$/, '$1')]
  return [bare.replace(',', '.')]
}
