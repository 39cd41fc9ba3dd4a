import type { Channel, Currency, Fee, FeeBand, Fees } from '../../src/contract/index.ts'

/** Payments in dollars have a separate fee, so that one number does not mean both 1.00 CRC and 1.00 USD. */
export const defaultFees: Fees = { pin: 100, pin_usd: 100, sinpe_movil: 0, own_accounts: 'same' }

interface FeeBasis {
  readonly channel: Channel
  readonly currency: Currency
  /** Minor units. */
  readonly amount: number
  /** True if payer and payee are the same user. */
  readonly own: boolean
}

/** Fee of a payment, in minor units of its currency. */
export function feeFor(fees: Fees, { channel, currency, amount, own }: FeeBasis): number {
  if (own && fees.own_accounts === 'free') return 0
  const fee = channel === 'pin' && currency === 'USD' ? fees.pin_usd : fees[channel]
  if (typeof fee === 'number') return fee
  return fee.find(({ up_to }) => up_to === null || amount <= up_to)?.fee ?? 0
}

/** The first fee whose bands don't cover every amount exactly once, and the reason; null: none. */
export function bandFault({ pin, pin_usd, sinpe_movil }: Partial<Fees>): { field: string; message: string } | null {
  for (const [field, fee] of Object.entries({ pin, pin_usd, sinpe_movil })) {
    const message = fee === undefined ? null : faultOf(fee)
    if (message !== null) return { field, message }
  }
  return null
}

function faultOf(fee: Fee): string | null {
  if (typeof fee === 'number') return null
  const bounds = fee.map(({ up_to }: FeeBand) => up_to ?? Number.POSITIVE_INFINITY)
  if (bounds.some((bound, at) => at > 0 && bound <= (bounds[at - 1] ?? 0)))
    return 'Each band must have a larger up_to than the band before it'
  return bounds.at(-1) === Number.POSITIVE_INFINITY
    ? null
    : 'The last band must have up_to null: it covers all larger amounts'
}
