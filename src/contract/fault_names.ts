/** What can happen to the connection or the answer of a request; all but `reset` after the work is done and committed. */
export const requestFaults = ['reset', 'lose_answer', 'truncate', 'drip', 'malformed', 'content_type'] as const

/** What can happen to a delivery of a webhook. */
export const deliveryFaults = ['duplicate', 'drop', 'reorder', 'bad_signature'] as const

export type RequestFault = (typeof requestFaults)[number]
type DeliveryFault = (typeof deliveryFaults)[number]

export const isDeliveryFault = (fault: string | null | undefined): fault is DeliveryFault =>
  deliveryFaults.some((known) => known === fault)
