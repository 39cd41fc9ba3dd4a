/**
 * Integer minor units as a decimal of major units, exactly: -5 is `-0.05`. Empty for anything else, which
 * would give a wrong amount.
 */
export function decimal(minor: number | null | undefined): string {
  if (typeof minor !== 'number' || !Number.isSafeInteger(minor)) return ''
  const digits = Math.abs(minor).toString().padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
