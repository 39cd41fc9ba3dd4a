import { Random } from '../random.ts'
import { withCutOff } from './cut_off.ts'
import { faultsOf, slowPayment, stormOf, unconnected } from './faults.ts'
import { tailOf } from './generate_tails.ts'
import { withMeanwhile } from './meanwhile.ts'
import { batchOf, holders, type Known, newHolder, orderOf, type Planned, phones, sendOf, writtenOf } from './orders.ts'
import type { PlaceLimits } from './places.ts'
import { withRareSequences } from './rare_sequences.ts'
import { withResets } from './resets.ts'
import {
  type CallerName,
  callerNames,
  deliveryFaults,
  type Operation,
  type Order,
  type Reception,
  type Script,
} from './script.ts'

// Makes the script of a seed.

/** Milliseconds from one operation to the next: usually short, sometimes hours. */
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
  const known: Known = { sent: [], batches: [], orders: 0, rush: [], after: [] }
  const operations: Operation[] = []
  let at = 0
  const add = (operation: object) => {
    operations.push({ id: operations.length + 1, at, ...operation } as Operation)
    at += known.rush.length > 0 ? random.integer(0, 40) : pauseAfter(random)
  }
  add({ do: 'log in', caller: 'ana' })
  at += 5000
  if (random.chance(0.6))
    add(disturbed(random, { do: 'subscribe', caller: random.pick(['ana', 'laura']), receiver: random.integer(0, 1) }))
  const count = random.integer(12, 52)
  for (let left = count; left > 0; left -= 1) add(operationOf(random, known))
  return {
    seed,
    receivers: [receptionsOf(random), receptionsOf(random)],
    operations: withMeanwhile(
      seed,
      withRawSends(seed, withRareSequences(seed, withResets(seed, withCutOff(seed, operations)))),
    ),
  }
}

/**
 * Sends some payments by `payctl api`, without questions or a comparison of names. Draws them separately, so that the
 * other draws of a seed stay the same.
 */
function withRawSends(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'raw sends')
  return operations.map((operation) => {
    const isRaw = random.chance(0.3)
    if (operation.do !== 'send' || operation.confirm || operation.rehearse || operation.holder !== undefined)
      return operation
    return isRaw ? { ...operation, raw: true } : operation
  })
}

function operationOf(random: Random, known: Known): Planned {
  const next = known.rush.shift() ?? known.after.shift()
  if (next) return next
  if (random.chance(0.03)) known.rush.push(...together(random, known))
  if (random.chance(0.02)) known.after.push(...leftBehind(random, known))
  const operation = anyOf(random, known)
  if (operation.do === 'log out') known.after.push({ do: 'log in', caller: 'ana' })
  if ((operation.do === 'send' || operation.do === 'batch') && operation.faults)
    known.after.push(...laterOf(operation, random))
  if (operation.do === 'batch') known.after.push(...retriesOf(operation, random))
  if (operation.do === 'revoke tokens') known.rush.push({ ...sendOf(random, known, { caller: 'ana' }), caller: 'ana' })
  if ('share' in operation) {
    for (let left = random.integer(3, 8); left > 0; left -= 1) {
      const caller = random.pick(callerNames)
      const asked = random.chance(0.4) ? batchOf(random, known, caller) : sendOf(random, known, { caller })
      known.rush.push({ ...asked, caller })
    }
  }
  if (operation.caller && operation.caller !== 'laura' && random.chance(0.3)) {
    known.rush.push(twinOf(operation, random, known))
  }
  return operation
}

/** Resumes a payment after faults, perhaps when the phone has another holder. */
function laterOf(operation: Planned, random: Random): readonly Planned[] {
  const orders = (operation.rows ?? [operation]) as readonly Order[]
  const expecting = orders.filter((order) => order.holder !== undefined)
  const order = random.pick(expecting.length > 0 ? expecting : orders)
  const { to, holder } = order
  const newest = orders.length - 1 - orders.indexOf(order)
  if (!random.chance(holder === undefined ? 0.4 : 0.8)) return []
  const quiet = { ...({ do: 'resume one', newest } as const), ...(operation.caller && { caller: operation.caller }) }
  const resuming = random.chance(0.6) ? { ...quiet, faults: stormOf(random, quiet) } : quiet
  const isRenamed = holder !== undefined && random.chance(0.7)
  return isRenamed ? [{ do: 'rename holder', phone: to, name: newHolder }, resuming] : [resuming]
}

/** Sends failed rows again, perhaps by two processes. */
function retriesOf({ caller, batch, rows }: Planned, random: Random): readonly Planned[] {
  const isFailing = (rows as readonly Order[]).some(({ to }) => phones.failing.includes(to))
  if (caller === undefined || !isFailing || !random.chance(0.5)) return []
  const retry = { do: 'retry batch', caller, batch } as const
  return [{ do: 'move clock of service', ms: 3_600_000 }, { ...retry, wait: true }, disturbed(random, retry)]
}

/** An operation of the other process on the same journal at the same time. */
function twinOf({ faults: _, ...same }: Planned, random: Random, known: Known): Planned {
  const caller: CallerName = same.caller === 'bot' ? 'bot' : same.caller === 'ana' ? 'ana2' : 'ana'
  const which = random.fraction()
  if (which < 0.15 && caller !== 'bot') return { do: 'revoke tokens' }
  if (which < 0.45) {
    const again = { ...same, caller }
    return random.chance(0.5) ? { ...again, faults: stormOf(random, again) } : again
  }
  if (which < 0.6) return { do: 'resume', caller }
  if (which < 0.65 && caller !== 'bot') return { do: 'log out', caller }
  return { ...sendOf(random, known, { caller }), caller }
}

/** Processes on one journal send more payments at the same time than limits allow, often to one payee. */
function together(random: Random, known: Known): readonly Planned[] {
  const caller = random.pick(['ana', 'bot'] as const)
  const to = random.chance(0.7) ? random.pick(phones.fine) : undefined
  return Array.from({ length: random.integer(2, 3) }, () => {
    const asked = { ...sendOf(random, known, { caller, large: 1, to }), caller }
    return { ...asked, faults: [slowPayment(random, asked)] }
  })
}

/** A payment that can't be sent at first, and is resumed later, perhaps when the phone has another holder. */
function leftBehind(random: Random, known: Known): readonly Planned[] {
  const caller = random.pick(['ana', 'bot'] as const)
  const order = orderOf(random, known, { caller, large: 0.35, to: random.pick(phones.fine), names: 1 })
  const send = { do: 'send', caller, key: `left-${known.orders}`, ...order } as const
  const isRenamed = order.holder !== undefined && random.chance(0.7)
  return [
    { ...send, faults: unconnected(send) },
    ...(isRenamed ? [{ do: 'rename holder', phone: order.to, name: newHolder } as const] : []),
    { do: 'resume one', caller, newest: 0 },
  ]
}

function anyOf(random: Random, known: Known): Planned {
  const operation = quietOf(random, known)
  return operation.caller ? disturbed(random, operation) : operation
}

function disturbed(random: Random, operation: Planned): Planned {
  const faults = faultsOf(random, operation)
  return faults.length > 0 ? { ...operation, faults } : operation
}

function quietOf(random: Random, known: Known): Planned {
  const which = random.fraction()
  const common = { caller: random.pick(callerNames) }
  if (which < 0.34) return { ...common, ...sendOf(random, known, common) }
  if (which < 0.5) return { ...common, ...batchOf(random, known, common.caller) }
  if (which < 0.58) return { ...common, do: 'resume' }
  if (which < 0.64) return { ...common, do: 'resume one', newest: random.integer(0, 5) }
  if (which < 0.71) return writtenOf(random, known, common)
  if (which < 0.74) return tailOf(random, known, common.caller)
  if (which < 0.78) return { ...common, do: 'read history', perPage: random.integer(1, 7) }
  if (which < 0.83) return { ...common, do: 'look around', questions: random.integer(1, 8) }
  if (which < 0.845) return { ...common, do: 'operate', deeds: random.integer(1, 4) }
  if (which < 0.86) return { ...common, do: 'subscribe', receiver: random.integer(0, 1) }
  if (which < 0.885) return { ...common, caller: random.pick(['ana', 'ana2'] as const), do: 'log in' }
  if (which < 0.89) return { ...common, caller: 'ana', do: 'log out' }
  if (which < 0.91)
    return { ...common, caller: random.pick(['ana', 'bot'] as const), do: 'change limits', limits: limitsOf(random) }
  return troubleOf(random)
}

/** Draws one of the service's troubles. */
function troubleOf(random: Random): Planned {
  const which = random.fraction()
  if (which < 0.3) return { do: 'restart service', down: random.integer(0, 5000) }
  if (which < 0.55) {
    const share = random.chance(0.6) ? { share: random.integer(1, 9) / 10 } : {}
    return { do: 'fill disk of service', for: random.integer(10, 20_000), ...share }
  }
  if (which < 0.68) return { do: 'move clock of service', ms: random.integer(1000, 20_000_000) }
  if (which < 0.8) return { do: 'credit', amount: random.integer(1, 50_000_000) }
  if (which < 0.9) return { do: 'revoke tokens' }
  const at = random.integer(0, holders.length - 1)
  return { do: 'rename holder', phone: phones.fine[at], name: random.chance(0.3) ? holders[at] : newHolder }
}

function limitsOf(random: Random): PlaceLimits {
  const of = (most: number) => ({
    ...{ perDay: most, perPayment: most / 2, perPayeeDay: most / 2 },
    readOnly: random.chance(0.1),
  })
  return of(random.pick([40_000_000, 90_000_000, 150_000_000]))
}

function receptionsOf(random: Random): readonly Reception[] {
  const receptions: readonly Reception[] = ['take', 'take', 'answer 500', 'slow', 'silent', 'refuse']
  const mixed = Array.from({ length: random.integer(0, 12) }, () =>
    random.pick(random.chance(0.6) ? receptions : deliveryFaults),
  )
  // Independent draws would seldom give a receiver that resets several connections in a row.
  return random.chance(0.2) ? Array.from({ length: 6 }, () => 'request reset' as const) : mixed
}
