/**
 * Without the spaces, dashes of any kind, points, brackets and `tel:` that people type, and the invisible characters that
 * they copy with a number. A + or 00 goes only before 506: a number of another country stays one.
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
