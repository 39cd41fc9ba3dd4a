import type { Random } from '../random.ts'
import { places } from './places.ts'
import type { CallerName, Operation, Order } from './script.ts'

// Orders, new or repeated.

/** Phones at other banks by the outcome of payments to them, and phones of the users. */
export const phones = {
  fine: ['87000001', '87000002', '87000003', '87000004'],
  slow: ['87000012'],
  unknown: ['61234567'],
  failing: ['87000006', '87000007', '87000008', '87000009', '87000010', '87000013'],
  users: { ana: '88005678', ana2: '88005678', bot: '88005678', laura: '88001234', clerk: '88005678' },
}

/** Holders of the phones that receive most payments, by position; each phone has a second holder after a renaming. */
export const holders = [
  'Carlos Jiménez Mora',
  'Ana Lucía Vargas Solano',
  'Ferretería El Roble S.A.',
  'John Andrew Smith',
]
export const newHolder = 'Rosa Mora Solís'

/** Orders so far, which later operations may repeat. */
export interface Known {
  readonly sent: { readonly caller: CallerName; readonly send: Planned & { readonly key: string } }[]
  readonly batches: { readonly caller: CallerName; readonly batch: string; readonly asked: Planned }[]
  orders: number
  /** Simultaneous operations of other processes. */
  readonly rush: Planned[]
  /** Next operations, one after another. */
  readonly after: Planned[]
}

/** An operation without its time. */
export interface Planned {
  readonly do: Operation['do']
  readonly caller?: CallerName
  readonly [name: string]: unknown
}

export const placeOf = (caller: CallerName): string => (caller === 'ana2' ? 'ana' : caller)

export function sendOf(random: Random, known: Known, { caller, large = 0.35, to }: Payer): Planned {
  const own = known.sent.filter((one) => placeOf(one.caller) === placeOf(caller))
  if (own.length > 0 && random.chance(0.4)) return { ...random.pick(own).send, ...mannerOf(random) }
  const order = orderOf(random, known, { caller, large, to, names: 0.8 })
  const proposed = keyOf(random, known, caller)
  const isTaken = own.some(({ send }) => send.key === proposed)
  const key = isTaken ? `${proposed}-${known.orders}` : proposed
  const send = { do: 'send', key, ...order } as const
  known.sent.push({ caller, send })
  return { ...send, ...mannerOf(random) }
}

/** Some keys differ from others only in case, and some were used by another program of the same user. */
function keyOf(random: Random, { sent }: Known, caller: CallerName): string {
  const own = sent.filter((one) => placeOf(one.caller) === placeOf(caller))
  const others = sent.filter((one) => one.caller === 'bot')
  const which = random.fraction()
  const [last] = own.slice(-1)
  if (which < 0.1 && last) return swapCase(last.send.key)
  if (which < 0.2 && placeOf(caller) === 'ana' && others.length > 0) return random.pick(others).send.key
  // Both users of a journal have the same keys.
  return `${places[caller].journal === 'bot' ? 'bot' : 'key'}-${own.length}`
}

const swapCase = (text: string): string => (text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase())

/** Options of a payment or batch. */
const mannerOf = (random: Random): object => ({
  ...(random.chance(0.2) && { confirm: true }),
  ...(random.chance(0.05) && { rehearse: true }),
  ...(random.chance(0.15) && { wait: true }),
})

interface Payer {
  readonly caller: CallerName
  /** Probability of a large amount: a day's limit allows only a few. */
  readonly large?: number
  readonly to?: string | undefined
}

/** `names`: probability that an expected name is right. */
export function orderOf(
  random: Random,
  known: Known,
  { caller, large, names, to: payee }: Required<Payer> & { readonly names: number },
): Order {
  known.orders += 1
  const which = random.fraction()
  const at = random.integer(0, holders.length - 1)
  const drawn =
    which < 0.6
      ? (phones.fine[at] as string)
      : which < 0.67
        ? random.pick(phones.slow)
        : which < 0.72
          ? random.pick(phones.unknown)
          : which < 0.9
            ? random.pick(phones.failing)
            : phones.users[caller]
  const most = random.chance(0.7) ? 30_000_000 : 60_000_000
  const amount = random.chance(large) ? random.integer(8_000_000, most) : random.integer(1, 4_000_000)
  const to = payee ?? drawn
  const holder =
    to === phones.fine[at] && random.chance(0.4) ? { holder: random.chance(names) ? holders[at] : 'Somebody Else' } : {}
  return { order: `${placeOf(caller)}-${known.orders}`, to, amount, ...holder } as Order
}

export function batchOf(random: Random, known: Known, caller: CallerName): Planned {
  const own = known.batches.filter((one) => placeOf(one.caller) === placeOf(caller))
  if (own.length > 0 && random.chance(0.4)) return { ...random.pick(own).asked, ...mannerOf(random) }
  const batch = `${placeOf(caller)}-batch-${known.batches.length}`
  const ofAnother = own.length > 0 && random.chance(0.15) ? random.pick(own).asked.rows : []
  const count = random.integer(1, random.chance(0.2) ? 12 : 6)
  const fresh = Array.from({ length: count }, () =>
    // Draws smaller amounts and usually right names, because one wrong row would block all payments.
    orderOf(random, known, { caller, large: 0.1, to: undefined, names: 0.95 }),
  )
  // Orders some payments twice, in two batches or in one, but none to a receiver of this bank, because both payments to
  // this receiver would look alike.
  const again = (ofAnother as readonly Order[]).filter(({ to }) => to !== phones.users[caller])
  const rows = again.length > 0 ? [...again] : fresh
  const [first] = rows
  if (first && first.to !== phones.users[caller] && random.chance(0.2)) rows.push(first)
  const asked = {
    ...({ do: 'batch', batch, rows } as const),
    ...(random.chance(0.2) && { unnamed: true }),
    ...(random.chance(0.1) && { skipSent: true }),
    ...(random.chance(0.5) && { concurrency: random.integer(1, 3) }),
    ...(random.chance(0.1) && { checkPayees: true }),
  }
  known.batches.push({ caller, batch, asked })
  return { ...asked, ...mannerOf(random) }
}

/** Retries or resumes a batch that was recorded before; without such a batch, resumes all payments in doubt. */
export function writtenOf(random: Random, known: Known, common: { readonly caller: CallerName }): Planned {
  const own = known.batches.filter((one) => placeOf(one.caller) === placeOf(common.caller))
  if (own.length === 0) return { ...common, ...{ do: 'resume' } }
  const { batch } = random.pick(own)
  return { ...common, ...{ do: random.chance(0.6) ? 'retry batch' : 'resume batch', batch } }
}
