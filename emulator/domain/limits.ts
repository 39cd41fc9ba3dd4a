import { formatMoney, type Limits } from '../../src/contract/index.ts'

export const noLimits: Limits = { sinpe_movil: { payment: null, day: null }, answer: 'refuse' }

/** Minor units of CRC, the only currency of SINPE Móvil. `sentToday` leaves out the payment itself. */
interface Sent {
  readonly amount: number
  readonly sentToday: () => number
}

/** Describes the limit that a payment over SINPE Móvil would exceed; null: none. */
export function brokenLimit({ sinpe_movil: { payment, day } }: Limits, { amount, sentToday }: Sent): string | null {
  if (payment !== null && amount > payment) {
    return `The amount exceeds the SINPE Móvil limit of ${formatMoney(payment, 'CRC')} for a payment`
  }
  if (day === null) return null
  const left = Math.max(0, day - sentToday())
  if (amount <= left) return null
  return `The amount exceeds the SINPE Móvil limit of ${formatMoney(day, 'CRC')} for a day: ${formatMoney(left, 'CRC')} is left today`
}
