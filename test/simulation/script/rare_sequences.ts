import { Random } from '../random.ts'
import { lostPayment, unconnected, unheardPayment } from './faults.ts'
import { phones } from './orders.ts'
import { beginning, type Operation } from './script.ts'

// Combinations of operations that random scripts seldom contain. They are added at the end of a script and drawn
// separately, so that the other draws of a seed stay the same.

/** An operation, with its time in milliseconds after the first operation of its sequence. */
type Timed<One = Operation> = One extends Operation ? Omit<One, 'id'> : never

type Sequence = (random: Random, now: number) => readonly Timed[]

/** The operations of a seed, followed by some of the sequences. */
export function withRareSequences(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'rare sequences')
  const all = [...operations]
  let now = all.at(-1)?.at ?? 0
  for (const sequence of sequences) {
    if (!random.chance(0.25)) continue
    now += pauseMs
    for (const { at, ...operation } of sequence(random, now)) {
      all.push({ id: 6000 + all.length, at: now + at, ...operation } as Operation)
    }
    now = all.at(-1)?.at ?? now
  }
  return all
}

const pauseMs = 120_000
const hourMs = 3_600_000

const [first = '', second = '', third = ''] = phones.fine

/** Limits that two payments use up: a third payment on the same day, or in the same world, must then fail. */
const limits = { perDay: 40_000_000, perPayment: 20_000_000, perPayeeDay: 20_000_000 }
const large = { do: 'send', caller: 'bot', amount: 20_000_000 } as const
const usedUp = (name: string): readonly Timed[] => [
  { at: 0, do: 'change limits', caller: 'bot', limits },
  { at: 1000, ...large, key: `${name}-1`, order: `bot-${name}-1`, to: first },
  { at: 2000, ...large, key: `${name}-2`, order: `bot-${name}-2`, to: second },
]

/**
 * Sends payments before and after midnight in Greenwich. They count on the same day, which ends at midnight in Costa
 * Rica (06:00 UTC).
 */
const onBothSidesOfMidnightInGreenwich: Sequence = (_, now) => {
  const midnight = 24 * hourMs - ((beginning + now) % (24 * hourMs))
  const before = midnight - 2 * hourMs + (midnight < 2 * hourMs ? 24 * hourMs : 0)
  const later = { ...large, key: 'day-3', order: 'bot-day-3', to: second }
  return [...usedUp('day').map((one) => ({ ...one, at: one.at + before })), { at: before + 4 * hourMs, ...later }]
}

const limitsOfAnotherWorld: Sequence = () => [
  ...usedUp('world'),
  { at: 5000, do: 'reset service' },
  { at: 8000, ...large, key: 'world-3', order: 'bot-world-3', to: third },
]

/**
 * Resets the world while some rows of a batch wait for their next attempts and others already get answers of the new
 * world.
 */
const resetBetweenAttempts: Sequence = (random) => {
  const rows = Array.from({ length: 8 }, (_, row) => ({ order: `laura-again-${row}`, to: first, amount: row + 1 }))
  const faults = Array.from({ length: 5 }, () => ({
    request: random.integer(4, 12),
    fault: random.pick(['answer reset', 'answered 503'] as const),
  }))
  return [
    { at: 0, do: 'batch', caller: 'laura', batch: 'laura-again', rows, concurrency: 4, faults },
    { at: random.integer(30, 150), do: 'reset service' },
  ]
}

/** Cuts the power while or soon after rows are sent, when their answers are not forced to disk. */
const powerCutInBatch: Sequence = (random) => {
  const rows = [1, 2, 3].map((row) => ({ order: `laura-power-${row}`, to: first, amount: row }))
  const faults = [{ step: random.integer(58, 80), fault: 'power cut' }] as const
  return [{ at: 0, do: 'batch', caller: 'laura', batch: 'laura-power', rows, concurrency: 1, faults }]
}

const suspendedTail: Sequence = (random) => [
  { at: 0, do: 'tail', caller: 'laura', for: 300_000 },
  { at: random.integer(2000, 60_000), do: 'suspend subscriptions', caller: 'laura' },
]

/** Cuts a tail off around the requests that make and remove its subscription. */
const tailCutOff: Sequence = (random) => {
  const fault = random.chance(0.5)
    ? ({ step: random.integer(12, 16), fault: 'killed' } as const)
    : ({ request: random.pick([7, 7, 7, 8]), fault: 'request lost' } as const)
  return [{ at: 0, do: 'tail', caller: 'laura', for: 60_000, faults: [fault] }]
}

/** Makes commits of other payments fail while the service delivers events. */
const deliveriesWhileCommitsFail: Sequence = (random) => {
  const rows = Array.from({ length: 12 }, (_, row) => ({ order: `laura-event-${row}`, to: first, amount: row + 1 }))
  return [
    { at: 0, do: 'subscribe', caller: 'laura', receiver: 0 },
    { at: 20, do: 'subscribe', caller: 'laura', receiver: 1 },
    { at: 1000, do: 'fill disk of service', for: 5000, share: random.integer(4, 6) / 10 },
    { at: 1000, do: 'batch', caller: 'laura', batch: 'laura-event', rows, concurrency: 4 },
  ]
}

/** Two ages of a key: too old for payctl to rely on it, and too old for the service to remember it. */
const [untrustedMs, forgottenMs] = [25 * hourMs, 11 * 24 * hourMs]

/** Repeats a payment when the service has forgotten its key. */
const keyForgotten: Sequence = (random) => {
  const order = { order: 'laura-forgotten', to: first, amount: random.integer(1, 1000) }
  const send = { do: 'send', caller: 'laura', key: 'forgotten', ...order } as const
  const batch = { do: 'batch', caller: 'laura', batch: 'laura-forgotten', rows: [order] } as const
  const resume = { do: 'resume', caller: 'laura' } as const
  const resumeOne = { do: 'resume one', caller: 'laura', newest: 0 } as const
  const resumeBatch = { do: 'resume batch', caller: 'laura', batch: 'laura-forgotten' } as const
  const [asked, again] = random.chance(0.6)
    ? [send, random.pick([send, resume, resumeOne])]
    : [batch, random.pick([batch, resumeBatch])]
  const faults = random.chance(0.7) ? unheardPayment(asked) : [lostPayment(asked), ...unconnected(asked).slice(1)]
  return [
    { at: 0, ...asked, faults },
    { at: untrustedMs, do: 'move clock of service', ms: forgottenMs },
    { at: untrustedMs + 1000, ...again },
  ]
}

/** A payment arrives minutes after its caller gave up, when a repetition has already been refused. */
const arrivesAfterARefusal: Sequence = (random) => {
  const send = { do: 'send', caller: 'laura', key: 'held', order: 'laura-held', to: first, amount: 5 } as const
  const again = random.pick([{ do: 'resume one', caller: 'laura', newest: 0 }, send] as const)
  // Requests for the identity and the history come first.
  const refused = [{ request: 3, fault: 'answered 422' }] as const
  const faults = [{ request: 2, fault: 'request held' }, ...unconnected(send).slice(1)] as const
  return [
    { at: 0, ...send, faults },
    { at: random.integer(45_000, 110_000), ...again, faults: refused },
  ]
}

/** Another user logs in to the profile while payments are under way and their login has ended. */
const anotherUserLogsIn: Sequence = (random) => {
  const order = { order: 'ana-login', to: third, amount: 5 }
  const send = { do: 'send', caller: 'ana', key: 'login', ...order } as const
  const rows = [order, ...[1, 2, 3].map((row) => ({ order: `ana-login-${row}`, to: third, amount: row }))]
  const batch = { do: 'batch', caller: 'ana', batch: 'ana-login', rows, concurrency: 1 } as const
  const [asked, request] = random.pick([
    [send, 3],
    [batch, random.integer(3, 6)],
  ] as const)
  const end = random.integer(5200, 34_000)
  return [
    { at: 0, do: 'log in', caller: 'ana' },
    { at: 5000, ...asked, faults: [{ request, fault: 'answer lost' }] },
    { at: end, do: 'revoke tokens' },
    { at: end + 10, do: 'log in', caller: 'ana2', as: 'laura' },
    { at: 300_000, do: 'log in', caller: 'ana' },
  ]
}

/** A gateway answers a repeated request while an earlier attempt may still be on its way. */
const answeredTwice: Sequence = (random) => {
  const rows = Array.from({ length: 6 }, (_, row) => ({ order: `laura-twice-${row}`, to: first, amount: row + 1 }))
  const faults = Array.from({ length: 3 }, () => ({
    request: random.integer(2, 8),
    fault: 'answer followed by 422' as const,
  }))
  return [{ at: 0, do: 'batch', caller: 'laura', batch: 'laura-twice', rows, concurrency: 1, faults }]
}

/** A gateway replaces the answers to payments that were made; its answers do not have the service's form. */
const blockedByAGateway: Sequence = (random) => {
  const rows = Array.from({ length: 4 }, (_, row) => ({ order: `laura-blocked-${row}`, to: second, amount: row + 1 }))
  const fault = 'answer replaced by 400' as const
  const faults = [2, 3, 4, 5, 6].map((request) => ({ request, fault }))
  return [
    { at: 0, do: 'batch', caller: 'laura', batch: 'laura-blocked', rows, concurrency: random.integer(1, 2), faults },
  ]
}

/** Interrupts a batch while its rows are recorded, 500 at a time, and resumes the batch. Takes as long as a whole seed. */
const halfRecorded: Sequence = (random) => {
  if (!random.chance(0.3)) return []
  const rows = Array.from({ length: 501 }, (_, row) => ({ order: `laura-half-${row}`, to: first, amount: row + 1 }))
  const batch = { caller: 'laura', batch: 'laura-half' } as const
  return [
    { at: 0, do: 'batch', ...batch, rows, faults: [{ step: random.integer(1700, 2500), fault: 'interrupted' }] },
    { at: 1000, do: 'resume batch', ...batch },
  ]
}

/** Pays in a currency without limits, which the token can't find out. */
const unknownCurrency: Sequence = (random) => {
  const order = { order: 'clerk-dollars', to: first, amount: random.integer(1, 100_000) }
  return [
    random.chance(0.5)
      ? { at: 0, do: 'send', caller: 'clerk', key: 'dollars', ...order }
      : { at: 0, do: 'batch', caller: 'clerk', batch: 'clerk-dollars', rows: [order] },
  ]
}

const sequences = [
  onBothSidesOfMidnightInGreenwich,
  limitsOfAnotherWorld,
  resetBetweenAttempts,
  powerCutInBatch,
  suspendedTail,
  tailCutOff,
  deliveriesWhileCommitsFail,
  keyForgotten,
  arrivesAfterARefusal,
  anotherUserLogsIn,
  answeredTwice,
  blockedByAGateway,
  halfRecorded,
  unknownCurrency,
]
