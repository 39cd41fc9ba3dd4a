// Separate from the schemas, and from payment_names.ts because every start of payctl loads that file.

/** Events that a webhook can subscribe to. Source: interface, "Events". */
export const eventNames = [
  'payment.created',
  'payment.processing',
  'payment.completed',
  'payment.failed',
  'transaction.received',
] as const

export type EventName = (typeof eventNames)[number]

export const eventSummaries: Readonly<Record<EventName, string>> = {
  'payment.created': 'A payment was accepted',
  'payment.processing': 'A payment was handed to its rail',
  'payment.completed': 'A payment arrived',
  'payment.failed': 'A payment was rejected by its rail',
  'transaction.received': 'Money arrived from another bank, or from another account of the service',
}

/** Known values of `state_code` of `payment.failed`. A service may send other values. */
export const stateCodes = [
  'rejected',
  'account_closed',
  'account_blocked',
  'insufficient_funds',
  'limit_exceeded',
  'currency_mismatch',
] as const

/** Default of `error` in `payment.failed`, keyed by `state_code`. */
export const rejections: Readonly<Record<(typeof stateCodes)[number], string>> = {
  rejected: 'The payment was rejected by the destination entity',
  account_closed: 'The destination account is closed',
  account_blocked: 'The destination account is blocked',
  insufficient_funds: 'The source entity has insufficient funds for the payment',
  limit_exceeded: 'The payment is outside the limits of the destination account',
  currency_mismatch: 'The destination account is in another currency',
}
