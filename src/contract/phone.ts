/** Without the spaces, dashes, parentheses and leading + or 00 that people type. */
export const normalizePhone = (text: string): string => text.replace(/[\s()-]/g, '').replace(/^(\+|00)/, '')

/** Eight national digits, with or without the country prefix. */
export const phonePattern = '^(506)?[2678]\\d{7}$'

export const isPhone = (phone: string): boolean => new RegExp(phonePattern).test(phone)

/** The eight national digits of a valid phone number. */
export const nationalPhone = (phone: string): string => phone.slice(-8)
