import { Random } from '../random.ts'
import { holders, newHolder, phones } from './orders.ts'
import type { CallerName, Fault, NetworkFault, Operation } from './script.ts'

// Two processes at work on the same payments: one waits at a question, for a request or for an answer, and meanwhile the
// other sends, resumes or loses the payments. Drawn separately, so that the other draws of a seed stay the same.

/** An operation without its id and time. */
type Timeless<One = Operation> = One extends Operation ? Omit<One, 'id' | 'at'> : never
type First = Extract<Timeless, { readonly do: 'send' | 'batch' }>
type Paying = First | Extract<Timeless, { readonly do: 'resume batch' | 'resume' | 'resume one' }>

const hourMs = 3_600_000

/** Time after which the service has forgotten a key. */
const forgottenMs = 11 * 24 * hourMs

/** Adds payments that an operation left in doubt or unsent, and on which two processes then work at the same time. */
export function withMeanwhile(seed: string, operations: readonly Operation[]): readonly Operation[] {
  const random = new Random(seed, 'meanwhile')
  const all = [...operations]
  let at = all.at(-1)?.at ?? 0
  const add = (operation: Timeless): number => {
    const id = 7000 + all.length
    all.push({ ...operation, id, at } as Operation)
    return id
  }
  for (let left = random.integer(1, 2); left > 0; left -= 1) {
    at += 120_000
    const { asked, between, again, when, meanwhile } = sharedPayment(random, `shared-${left}`)
    for (const one of asked) add(one)
    // After more than ten minutes, a refusal ends the doubt about a payment.
    at += random.chance(0.8) ? 660_000 : 60_000
    for (const one of between) add(one)
    at += 1000
    const of = add(again)
    for (const one of meanwhile) add({ ...one, during: { of, ...when } })
  }
  return all
}

/** A moment of the operation that waits. */
type When =
  | { readonly question: 1 }
  | { readonly request: number }
  | { readonly payment: number }
  | { readonly history: number }

interface SharedPayment {
  /** The first operation, which leaves its payments in doubt or unsent, and what must happen before. */
  readonly asked: readonly Timeless[]
  readonly between: readonly Timeless[]
  /** The operation that finds these payments, and waits at the moment. */
  readonly again: Paying
  readonly when: When
  readonly meanwhile: readonly Timeless[]
}

/** Faults of the payments of the three operations, and the moment of the second at which the third runs. */
interface Course {
  readonly asked: NetworkFault
  readonly again?: NetworkFault | undefined
  readonly meanwhile?: NetworkFault | undefined
  readonly when: When
}

const courseOf = (random: Random): Course =>
  random.pick<() => Course>([
    // In doubt, and found to be refused meanwhile.
    () => ({ asked: 'request reset', meanwhile: 'answered 422', when: { history: 1 } }),
    () => ({ asked: 'request reset', meanwhile: 'answered 422', when: random.pick([{ history: 1 }, { question: 1 }]) }),
    // Not sent, and in doubt meanwhile.
    () => ({ asked: 'answered 401', meanwhile: 'answer reset', when: { question: 1 } }),
    // In doubt, and paid after its repetition was refused.
    () => ({ asked: 'request reset', again: 'answered 422', when: { history: 2 } }),
    () => ({
      asked: random.pick(['request reset', 'answered 401', 'answer reset']),
      again: random.pick([undefined, 'answered 422']),
      meanwhile: random.pick([undefined, 'answered 422', 'answer reset', 'request reset']),
      when: random.pick([{ request: random.integer(1, 6) }, { payment: random.integer(1, 2) }]),
    }),
  ])()

function sharedPayment(random: Random, name: string): SharedPayment {
  const caller = random.pick(['laura', 'laura', 'bot'] as const)
  const which = random.integer(0, 3)
  const [phone, holder] = [phones.fine[which] ?? '', holders[which] ?? '']
  const { asked, again: refused, meanwhile, when } = courseOf(random)
  const isNamed = random.chance(0.6)
  const orderOf = (row: number) => ({
    ...{ order: `${caller}-${name}-${row}`, to: phone, amount: random.integer(1, 1000) },
    ...(isNamed && { holder }),
  })
  const rows = [1, 2].slice(0, random.integer(1, 2)).map(orderOf)
  // Nobody is asked about a payment in doubt, except as a row of a batch.
  const isAsked = 'question' in when && asked === 'request reset'
  const first: First =
    !isAsked && random.chance(0.35)
      ? { do: 'send', caller, key: name, ...orderOf(1) }
      : { do: 'batch', caller, batch: `${caller}-${name}`, rows }
  const asks = 'question' in when || random.chance(0.3) ? { confirm: true, declines: random.chance(0.3) } : {}
  const all = repetitions(first, caller)
  const again = isAsked ? all.filter((one) => 'batch' in one) : all
  const rename = (name: string): Timeless => ({ do: 'rename holder', phone, name })
  const isRenamed = isNamed && random.chance(0.7)
  const isRenamedBefore = isRenamed && random.chance(0.5)
  const isForgotten = 'question' in when && meanwhile === 'answer reset' && random.chance(0.5)
  return {
    asked: [...(isNamed ? [rename(holder)] : []), withFault(first, asked)],
    between: isRenamedBefore ? [rename(newHolder)] : [],
    again: withFault({ ...random.pick([first, ...again]), ...asks }, refused),
    when,
    meanwhile: [
      ...(isRenamed && !isRenamedBefore ? [rename(newHolder)] : []),
      withFault(random.pick(all), meanwhile),
      ...(isForgotten ? [{ do: 'move clock of service', ms: forgottenMs } as const] : []),
    ],
  }
}

/** Operations that pay the payments of an operation which were not paid. */
function repetitions(first: First, caller: CallerName): readonly Paying[] {
  const all: readonly Paying[] = [{ do: 'resume', caller }, { do: 'resume one', caller, newest: 0 }, first]
  return first.do === 'send' ? all : [...all, { do: 'resume batch', caller, batch: first.batch }]
}

const withFault = <One extends Paying>(operation: One, fault: NetworkFault | undefined): One =>
  fault ? { ...operation, faults: [{ payments: 'all', fault }] satisfies readonly Fault[] } : operation
