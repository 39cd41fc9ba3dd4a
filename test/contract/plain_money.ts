const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** An amount in display form, from the platform's formatter: exact, and independent of payctl. */
export function plainMoney(minor: number, currency: string): string {
  const digits = BigInt(Math.abs(minor)).toString().padStart(3, '0')
  const decimal = `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
  return `${format.format(decimal as Intl.StringNumericLiteral)} ${currency}`
}
