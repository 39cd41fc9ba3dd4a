/** What a webhook can be subscribed to. Source: interface, "Events". */
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
  'payment.completed': 'A payment arrived, and what it cost is known',
  'payment.failed': 'A payment was turned down by its rail; the money is back',
  'transaction.received': 'Money arrived from outside, or from another account of the service',
}
