/** Largest amount of one payment, in minor units. */
export const maximumAmount = 500_000_000

/** Converts integer minor units to the service's display form: 10000000 CRC is `100,000.00 CRC`. */
export function formatMoney(minor: number, currency: string): string {
  const digits = Math.abs(minor).toString().padStart(3, '0')
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${minor < 0 ? '-' : ''}${whole}.${digits.slice(-2)} ${currency}`
}

/** Money object of an answer, from integer minor units. */
export const money = <Name extends string>(value: number, currency: Name) => ({
  value,
  currency,
  formatted: formatMoney(value, currency),
})

/** The currency code in a service's text; null if the text is not a currency code. */
export const namedCurrency = (text: string | null | undefined): string | null =>
  text && /^[A-Z]{3}$/.test(text) ? text : null

/**
 * Money of an answer for people, `1,500.25 CRC`: formatted from value and currency, because `formatted` could show
 * another amount. Empty unless the value is a whole number of minor units of a known currency.
 */
export function moneyText(money: { readonly value?: unknown; readonly currency?: unknown } | null | undefined): string {
  const { value, currency } = money ?? {}
  const name = typeof currency === 'string' ? namedCurrency(currency) : null
  return typeof value === 'number' && Number.isSafeInteger(value) && name !== null ? formatMoney(value, name) : ''
}

/**
 * Integer minor units as a decimal of major units, exactly: -5 is `-0.05`. Empty for a value that is not
 * an integer: its decimal would be a wrong amount.
 */
export function decimal(minor: number | null | undefined): string {
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor)) return ''
  const digits = Math.abs(minor).toString().padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
