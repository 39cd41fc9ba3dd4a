import type { Random } from '../random.ts'
import { places } from './places.ts'
import { type CallerName, deliveryFaults, type Fault, networkFaults, type Operation } from './script.ts'

// Faults within one operation.

/** Usual number of requests and steps of an operation. */
interface Extent {
  readonly requests: number
  readonly steps: number
}

const usual: Readonly<Partial<Record<Operation['do'], Extent>>> = {
  batch: { requests: 12, steps: 130 },
  'retry batch': { requests: 10, steps: 70 },
  'resume batch': { requests: 6, steps: 50 },
  'resume one': { requests: 4, steps: 25 },
  'read history': { requests: 5, steps: 8 },
  'look around': { requests: 8, steps: 15 },
  operate: { requests: 12, steps: 20 },
  subscribe: { requests: 1, steps: 3 },
  tail: { requests: 9, steps: 35 },
  'suspend subscriptions': { requests: 3, steps: 4 },
  'log in': { requests: 1, steps: 4 },
  'log out': { requests: 1, steps: 4 },
  'change limits': { requests: 1, steps: 10 },
}

const extentOf = (what: Operation['do']): Extent => usual[what] ?? { requests: 4, steps: 45 }

/** The operation for which faults are drawn. */
interface Disturbed {
  readonly do: Operation['do']
  readonly caller?: CallerName
}

export function faultsOf(random: Random, operation: Disturbed): readonly Fault[] {
  const faults: Fault[] = random.chance(0.2) ? [...stormOf(random, operation)] : []
  while (random.chance(faults.length === 0 ? 0.65 : 0.35)) faults.push(faultOf(random, operation))
  // A delivery that the tail accepted arrives again.
  if (operation.do === 'tail' && random.chance(0.4)) {
    const fault = random.pick(['answer lost', 'answer reset', 'answer late', 'request doubled'] as const)
    faults.push({ delivery: random.integer(1, 3), fault })
  }
  // The fault comes while the batch pays: only then are answers not forced to disk, and rows about to be sent.
  if (operation.do === 'batch' && random.chance(0.2)) {
    faults.push({ step: random.integer(40, 130), fault: random.pick(['power cut', 'interrupted'] as const) })
  }
  return faults
}

/**
 * Draws several faults in a row: first a lost answer or another fault, then faults of the next two to eight requests.
 */
export function stormOf(random: Random, operation: Disturbed): readonly Fault[] {
  const request = requestOf(random, operation)
  const later = random.pick([
    ['answered 401'],
    ['answered 429'],
    ['answered 503'],
    ['request lost'],
    ['connection refused'],
    networkFaults,
  ] as const)
  const lost = [
    'answer lost',
    'answer reset',
    'answer late',
    'answer replaced by 502',
    'answer replaced by 400',
    'answer replaced by 404',
    'answer replaced by 409',
  ] as const
  const first = random.pick(random.chance(0.5) ? lost : later)
  const again = Array.from({ length: random.integer(2, 8) }, (_, at) => request + 1 + at)
  return [{ request, fault: first }, ...again.map((request) => ({ request, fault: random.pick(later) }))]
}

/** Makes a payment take so long that other operations find it under way. */
export const slowPayment = (random: Random, operation: Disturbed): Fault => ({
  request: payingRequest(operation),
  fault: random.pick(['request late', 'answer late'] as const),
})

/** Prevents a payment from being sent, however often the caller tries. */
export function unconnected(operation: Disturbed): readonly Fault[] {
  const first = payingRequest(operation)
  return [0, 1, 2, 3].map((again) => ({ request: first + again, fault: 'connection refused' }))
}

/** Lets a payment be made, but prevents later requests from finding it. */
export const unheardPayment = (operation: Disturbed): readonly Fault[] => [
  { request: payingRequest(operation), fault: 'answer lost' },
  ...unconnected(operation).slice(1),
]

/** Loses the first request of a payment; its repetition arrives. */
export const lostPayment = (operation: Disturbed): Fault => ({
  request: payingRequest(operation),
  fault: 'request lost',
})

function requestOf(random: Random, operation: Disturbed): number {
  const isPayment = operation.do === 'send' || operation.do === 'resume one'
  if (isPayment && random.chance(0.5)) return payingRequest(operation)
  return random.integer(1, extentOf(operation.do).requests)
}

/**
 * Number of the request that pays. Before this request, a caller requests its user and, if it has limits, its account.
 */
const payingRequest = ({ caller }: Disturbed): number => (caller !== undefined && places[caller].limits ? 3 : 2)

function faultOf(random: Random, operation: Disturbed): Fault {
  const request = requestOf(random, operation)
  const step = random.integer(1, extentOf(operation.do).steps)
  const which = random.fraction()
  // These steps are close to the request for the tail’s subscription.
  if (operation.do === 'tail' && random.chance(0.2)) return { step: random.integer(10, 26), fault: 'killed' }
  if (operation.do === 'tail' && random.chance(0.3)) {
    return { delivery: random.integer(1, 4), fault: random.pick(deliveryFaults) }
  }
  if (which < 0.6) return { request, fault: random.pick(networkFaults) }
  const within = random.chance(0.4) ? { written: Math.round(random.fraction() * 1000) / 1000 } : {}
  if (which < 0.7) return { request, fault: 'service killed', statement: random.integer(1, 30), ...within }
  if (which < 0.78) return { step, fault: 'killed', ...within }
  if (which < 0.86) return { step, fault: 'interrupted' }
  if (which < 0.9) return { step, fault: 'power cut' }
  if (which < 0.95) return { step, fault: 'disk full' }
  return { step, fault: 'clock moved', ms: random.integer(-7_200_000, 7_200_000) }
}
