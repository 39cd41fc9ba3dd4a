import { Random } from './random.ts'
import {
  type CallerName,
  callerNames,
  type Fault,
  networkFaults,
  type Operation,
  type Order,
  type Reception,
  type Script,
} from './script.ts'

// What happens in the run of a seed.

/** Phones of other banks, by how payments to them end, and of the users. */
const phones = {
  fine: ['87000001', '87000002', '87000003', '87000004'],
  slow: ['87000012'],
  failing: ['87000006', '87000007', '87000008', '87000009', '87000010', '87000013'],
  users: { ana: '88005678', ana2: '88005678', bot: '88005678', laura: '88001234' },
}

/** Time from one operation to the next: most come close together, some after hours. Milliseconds. */
function pauseAfter(random: Random): number {
  const which = random.fraction()
  if (which < 0.35) return random.integer(0, 30)
  if (which < 0.6) return random.integer(30, 2000)
  if (which < 0.85) return random.integer(2000, 60_000)
  return random.integer(60_000, 8 * 3_600_000)
}

/** The script of a seed. */
export function generate(seed: string): Script {
  const random = new Random(seed, 'script')
  const known: Known = { sent: [], batches: [], orders: 0 }
  const operations: Operation[] = []
  let at = 0
  const add = (operation: object) => {
    operations.push({ id: operations.length + 1, at, ...operation } as Operation)
    at += pauseAfter(random)
  }
  add({ do: 'log in', caller: 'ana' })
  at += 5000
  if (random.chance(0.6))
    add({ do: 'subscribe', caller: random.pick(['ana', 'laura']), receiver: random.integer(0, 1) })
  const count = random.integer(12, 52)
  for (let left = count; left > 0; left -= 1) add(operationOf(random, known))
  return { seed, receivers: [receptionsOf(random), receptionsOf(random)], operations }
}

/** What has been asked for, so that it can be asked for again. */
interface Known {
  readonly sent: { readonly caller: CallerName; readonly send: object }[]
  readonly batches: { readonly caller: CallerName; readonly batch: string; readonly rows: readonly Order[] }[]
  orders: number
}

function operationOf(random: Random, known: Known): object {
  const which = random.fraction()
  const isLong = which >= 0.36 && which < 0.52
  const faults = faultsOf(random, isLong)
  const common = { caller: random.pick(callerNames), ...(faults.length > 0 && { faults }) }
  if (which < 0.36) return { ...common, ...sendOf(random, known, common.caller) }
  if (which < 0.52) return { ...common, ...batchOf(random, known, common.caller) }
  if (which < 0.66) return { ...common, do: 'resume' }
  if (which < 0.71) return retryOf(random, known, common)
  if (which < 0.79) return { ...common, do: 'read history', perPage: random.integer(1, 7) }
  if (which < 0.84) return { ...common, do: 'look around', questions: random.integer(1, 8) }
  if (which < 0.86) return { ...common, do: 'operate', deeds: random.integer(1, 4) }
  if (which < 0.89) return { ...common, do: 'subscribe', receiver: random.integer(0, 1) }
  if (which < 0.91) return { ...common, caller: 'ana', do: 'log in' }
  if (which < 0.94) return { do: 'restart service', down: random.integer(0, 5000) }
  if (which < 0.96) return { do: 'fill disk of service', for: random.integer(10, 20_000) }
  if (which < 0.98) return { do: 'move clock of service', ms: random.integer(1000, 20_000_000) }
  return { do: 'credit', amount: random.integer(1, 50_000_000) }
}

const placeOf = (caller: CallerName): string => (caller === 'ana2' ? 'ana' : caller)

function sendOf(random: Random, known: Known, caller: CallerName): object {
  const own = known.sent.filter((one) => placeOf(one.caller) === placeOf(caller))
  if (own.length > 0 && random.chance(0.4)) return random.pick(own).send
  const order = orderOf(random, known, caller)
  // The same numbers for all users: the key of one is another's too.
  const send = { do: 'send', key: `${placeOf(caller)}-${known.sent.length % 5}-${order.order}`, ...order }
  known.sent.push({ caller, send })
  return send
}

function orderOf(random: Random, known: Known, caller: CallerName): Order {
  known.orders += 1
  const which = random.fraction()
  const to =
    which < 0.6
      ? random.pick(phones.fine)
      : which < 0.7
        ? random.pick(phones.slow)
        : which < 0.9
          ? random.pick(phones.failing)
          : phones.users[caller]
  const amount = random.chance(0.2) ? random.integer(20_000_000, 60_000_000) : random.integer(1, 4_000_000)
  return { order: `${placeOf(caller)}-${known.orders}`, to, amount }
}

function batchOf(random: Random, known: Known, caller: CallerName): object {
  const own = known.batches.filter((one) => placeOf(one.caller) === placeOf(caller))
  if (own.length > 0 && random.chance(0.4)) {
    const { batch, rows } = random.pick(own)
    return { do: 'batch', batch, rows }
  }
  const batch = `${placeOf(caller)}-batch-${known.batches.length}`
  const rows = Array.from({ length: random.integer(1, 6) }, () => orderOf(random, known, caller))
  known.batches.push({ caller, batch, rows })
  return { do: 'batch', batch, rows }
}

function retryOf(random: Random, known: Known, common: { readonly caller: CallerName }): object {
  const own = known.batches.filter((one) => placeOf(one.caller) === placeOf(common.caller))
  return own.length === 0
    ? { ...common, do: 'resume' }
    : { ...common, do: 'retry batch', batch: random.pick(own).batch }
}

function faultsOf(random: Random, isLong: boolean): readonly Fault[] {
  const faults: Fault[] = random.chance(0.15) ? [...stormOf(random, isLong)] : []
  while (random.chance(faults.length === 0 ? 0.65 : 0.35)) faults.push(faultOf(random, isLong))
  return faults
}

/** An answer is lost, and what is sent again meets one fault after another. */
function stormOf(random: Random, isLong: boolean): readonly Fault[] {
  const request = random.integer(1, (isLong ? usual.long : usual.short).requests)
  const first = random.pick(['answer lost', 'answer reset', 'answer late', 'answer replaced by 502'] as const)
  const later = random.pick([['answered 429'], ['answered 503'], ['request lost'], networkFaults] as const)
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

function receptionsOf(random: Random): readonly Reception[] {
  const receptions: readonly Reception[] = ['take', 'take', 'answer 500', 'slow', 'silent', 'refuse']
  return Array.from({ length: random.integer(0, 8) }, () => random.pick(receptions))
}
