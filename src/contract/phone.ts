/**
 * Removes the spaces, dashes, points, brackets and `tel:` that people type, and the invisible characters of a copied
 * number. Removes + or 00 only before 506: a foreign number stays foreign.
 */
export const normalizePhone = (text: string): string =>
  text
    .replace(/[\s()[\].\p{Pd}−\p{Cf}]/gu, '')
    .replace(/^tel:/i, '')
    .replace(/^(\+|00)(?=506)/, '')

/** Eight national digits, with or without the country prefix. */
export const phonePattern = '^(506)?[2678]\\d{7}$'

export const isPhone = (phone: string): boolean => new RegExp(phonePattern).test(phone)

/** The eight national digits of a valid phone number. */
export const nationalPhone = (phone: string): string => phone.slice(-8)
