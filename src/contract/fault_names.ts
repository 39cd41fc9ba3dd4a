/** Faults of a request's connection or answer; all except `reset` happen after the work is done and committed. */
export const requestFaults = ['reset', 'lose_answer', 'truncate', 'drip', 'malformed', 'content_type'] as const

/** Faults of a webhook delivery. */
export const deliveryFaults = ['duplicate', 'drop', 'reorder', 'bad_signature'] as const

export type RequestFault = (typeof requestFaults)[number]
type DeliveryFault = (typeof deliveryFaults)[number]

export const isDeliveryFault = (fault: string | null | undefined): fault is DeliveryFault =>
  deliveryFaults.some((known) => known === fault)
