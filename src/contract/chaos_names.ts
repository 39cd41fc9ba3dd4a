/**
 * Faults of chaos with descriptions. A request has at most one of the first six, a delivery at most one of the last
 * three.
 */
export const chaosKinds = {
  lost_answers: 'Requests that are done and committed, and whose connection then closes without an answer',
  cut_answers: 'Requests that are done and committed, and whose answer ends in the middle',
  resets: 'Requests whose connection is reset before anything is done',
  too_many_requests: 'Requests that are answered 429; nothing is done',
  server_errors: 'Requests that are answered 500, where their endpoint has that; nothing is done',
  unavailable: 'Requests that are answered 503, where their endpoint has that; nothing is done',
  expired_tokens: 'Requests whose OAuth token has expired early: 401, until it is refreshed. Dashboard tokens live on',
  rail_outages: 'Requests to send or check a payment, or for the service’s status, with which a rail goes out of order',
  duplicate_deliveries: 'Deliveries that come once more after they were accepted',
  late_deliveries: 'Deliveries that come late',
  reordered_deliveries: 'Deliveries that the next one to their subscription overtakes',
} as const

export type ChaosKind = keyof typeof chaosKinds

export const chaosKindNames = Object.keys(chaosKinds) as ChaosKind[]

/**
 * Groups of exclusive faults: at most one happens to a request or delivery, so the probabilities of a group add up to
 * at most 1.
 */
export const chaosAlternatives = {
  requests: ['lost_answers', 'cut_answers', 'resets', 'too_many_requests', 'server_errors', 'unavailable'],
  deliveries: ['duplicate_deliveries', 'late_deliveries', 'reordered_deliveries'],
} as const satisfies Readonly<Record<string, readonly ChaosKind[]>>

/** Names of the built-in profiles. */
export const chaosProfileNames = ['mild', 'hostile'] as const

export type ChaosProfileName = (typeof chaosProfileNames)[number]

export const largestChaosSeed = 2 ** 32 - 1
