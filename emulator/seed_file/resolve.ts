import type { SeedFile } from '../../src/contract/index.ts'
import { defaultFees } from '../domain/fees.ts'
import type { RegistryEntry } from '../domain/registry_entry.ts'
import { timeOf } from '../domain/time.ts'
import type { Seed } from '../options.ts'
import { atOnce, type Steps } from '../slices.ts'
import type { NewOAuthClient } from '../store/oauth.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import type { StoredSettings } from '../store/settings.ts'
import type { NewToken } from '../store/tokens.ts'
import type { User } from '../store/users.ts'
import { demoSeed, emptySeed, seededAt } from '../worlds/seed.ts'
import { clientCodec, type SeedSubscription, subscriptionCodec, tokenCodec } from './access.ts'
import { accountCodec, registryCodec, userCodec } from './holders.ts'
import { entriesOf } from './names.ts'
import { type PastPayment, paymentCodec } from './payments.ts'
import { type Problem, SeedRefusal, shapeProblems } from './problems.ts'
import { Resolving, type SeedAccount, type SeedContext } from './resolving.ts'
import { scheduledCreditCodec } from './scheduled_credits.ts'
import { readSettings } from './settings.ts'

/** The rows and settings that a seed defines. */
export interface Resolved {
  readonly users: readonly User[]
  readonly accounts: readonly SeedAccount[]
  readonly registry: readonly RegistryEntry[]
  readonly clients: readonly NewOAuthClient[]
  readonly tokens: readonly NewToken[]
  readonly subscriptions: readonly SeedSubscription[]
  /** Payments in the order of their numbers. */
  readonly payments: readonly PastPayment[]
  readonly scheduledCredits: readonly ScheduledCredit[]
  readonly settings: Partial<StoredSettings>
}

/** Turns any value that is given as a seed into rows. Throws a SeedRefusal that lists all problems of the seed. */
export function* checkSeed(given: unknown, context: SeedContext): Steps<Resolved> {
  const shape = shapeProblems(given)
  if (shape.length === 0) return yield* resolveSeed(given as SeedFile, context)
  throw new SeedRefusal([...shape, ...problemsBeside(shape, given, context)])
}

/** Problems other than those of the shape, in the entries that have the right shape. */
function problemsBeside(shape: readonly Problem[], given: unknown, context: SeedContext): readonly Problem[] {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return []
  const seed: Record<string, unknown> = structuredClone(given) as Record<string, unknown>
  const leftOut: unknown[] = []
  for (const { path } of shape) {
    const [list = '', at] = path
    const entries = seed[list]
    if (typeof at === 'number' && Array.isArray(entries)) {
      leftOut.push(entries[at])
      entries[at] = undefined
    } else delete seed[list]
  }
  const names = leftOut.flatMap((entry) => {
    const { alias, id } = (entry ?? {}) as Record<string, unknown>
    return [alias, id]
  })
  try {
    atOnce(resolveSeed(seed, context))
    return []
  } catch (error) {
    if (!(error instanceof SeedRefusal)) throw error
    // A reference to an entry that was left out may be right.
    return error.problems.filter(
      ({ reference }) => reference === undefined || (reference && !names.includes(reference)),
    )
  }
}

/** Turns a seed of the right shape into rows. */
export function* resolveSeed(given: Seed, context: SeedContext): Steps<Resolved> {
  const seed: SeedFile = given === 'demo' ? { extends: 'demo' } : given === 'empty' ? {} : given
  const clock = timeOf(seed.clock?.time ?? '')
  const time = Number.isNaN(clock) ? undefined : clock
  const settle = { ...context.settle, ...seed.settle_ms }
  const lenientIban = context.lenientIban || seed.lenient_iban === true
  const resolving = new Resolving(
    { ...context, settle, lenientIban },
    { start: time ?? context.startsAt ?? context.now, usual: time ?? seededAt },
  )
  const resolved = yield* rowsOf(seed, resolving)
  if (resolving.problems.length > 0) throw new SeedRefusal(resolving.problems)
  return resolved
}

/** The demo's entries come first, so that a repeated value is reported at its place in the file. */
function* rowsOf(seed: SeedFile, resolving: Resolving): Steps<Resolved> {
  const base = seed.extends === 'demo' ? demoSeed : seed.users?.length ? {} : emptySeed
  const both = <List extends 'users' | 'accounts' | 'registry'>(list: List) => [
    ...entriesOf(list, base),
    ...entriesOf(list, seed),
  ]
  // Entries of later lists refer to entries of earlier lists.
  const users = userCodec.read(both('users'), resolving)
  const accounts = accountCodec.read(both('accounts'), resolving)
  const registry = registryCodec.read(both('registry'), resolving)
  const settings = readSettings(seed, resolving)
  const clients = clientCodec.read(entriesOf('clients', seed), resolving)
  const tokens = tokenCodec.read(entriesOf('tokens', seed), resolving)
  const subscriptions = subscriptionCodec.read(entriesOf('subscriptions', seed), resolving)
  const payments = yield* paymentCodec.read(entriesOf('payments', seed), resolving, settings.fees ?? defaultFees)
  const taken = new Set(payments.map(({ payment }) => payment.id))
  const scheduledCredits = scheduledCreditCodec.read(entriesOf('scheduled_credits', seed), resolving, taken)
  return { users, accounts, registry, settings, clients, tokens, subscriptions, payments, scheduledCredits }
}
