import type { Random } from './random.ts'
import { type Fault, networkFaults } from './script.ts'

// What goes wrong within one operation.

export function faultsOf(random: Random, isLong: boolean): readonly Fault[] {
  const faults: Fault[] = random.chance(0.15) ? [...stormOf(random, isLong)] : []
  while (random.chance(faults.length === 0 ? 0.65 : 0.35)) faults.push(faultOf(random, isLong))
  return faults
}

/** An answer is lost, and what is sent again meets one fault after another. */
export function stormOf(random: Random, isLong: boolean): readonly Fault[] {
  const request = random.integer(1, (isLong ? usual.long : usual.short).requests)
  const first = random.pick([
    'answered 429',
    'connection refused',
    'answer lost',
    'answer reset',
    'answer late',
    'answer replaced by 502',
    'answer replaced by 409',
  ] as const)
  const later = random.pick([
    ['answered 429'],
    ['answered 503'],
    ['request lost'],
    ['connection refused'],
    networkFaults,
  ] as const)
  const again = Array.from({ length: random.integer(2, 8) }, (_, at) => request + 1 + at)
  return [{ request, fault: first }, ...again.map((request) => ({ request, fault: random.pick(later) }))]
}

/** Requests and steps of most operations. */
const usual = { short: { requests: 4, steps: 50 }, long: { requests: 12, steps: 150 } }

function faultOf(random: Random, isLong: boolean): Fault {
  const { requests, steps } = isLong ? usual.long : usual.short
  const request = random.integer(1, requests)
  const step = random.integer(1, steps)
  const which = random.fraction()
  if (which < 0.6) return { request, fault: random.pick(networkFaults) }
  const within = random.chance(0.4) ? { written: Math.round(random.fraction() * 1000) / 1000 } : {}
  if (which < 0.72) return { request, fault: 'service killed', statement: random.integer(1, 30), ...within }
  if (which < 0.86) return { step, fault: 'killed', ...within }
  if (which < 0.9) return { step, fault: 'power cut' }
  if (which < 0.95) return { step, fault: 'disk full' }
  return { step, fault: 'clock moved', ms: random.integer(-7_200_000, 7_200_000) }
}
