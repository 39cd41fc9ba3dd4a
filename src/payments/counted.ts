import { grouped } from '../run/counts.ts'
import { type Said, say, type Text } from '../words/text.ts'

// Counts and lists as parts of messages. These functions are not in run/counts.ts, because most commands load that
// file.

/** `1 row`, `1,600 rows`, as part of a message. */
export const rowsSaid = (count: number): Text => (count === 1 ? say`1 row` : say`${grouped(count)} rows`)

/** `1 payment`, `1,600 payments`, as part of a message. */
export const paymentsSaid = (count: number): Text => (count === 1 ? say`1 payment` : say`${grouped(count)} payments`)

/** `1 payee`, `1,600 payees`, as part of a message. */
export const payeesSaid = (count: number): Text => (count === 1 ? say`1 payee` : say`${grouped(count)} payees`)

/** Joins parts of a message: `5.00 CRC and 3.00 USD`. */
export function joinedByAnd(parts: readonly Said[]): Text {
  const [first = '', ...more] = parts
  return more.reduce<Text>((all, part) => say`${all} and ${part}`, say`${first}`)
}

/** Joins parts of a message: `1 row, 5.00 CRC`. */
export function joinedByComma(parts: readonly Said[]): Text {
  const [first = '', ...more] = parts
  return more.reduce<Text>((all, part) => say`${all}, ${part}`, say`${first}`)
}
