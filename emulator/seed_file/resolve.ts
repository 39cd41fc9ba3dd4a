import { Channel, type Fees, type Limits, type SeedFile } from '../../src/contract/index.ts'
import type { ClockSetting } from '../clock.ts'
import { bandFault, defaultFees } from '../domain/fees.ts'
import { noLimits } from '../domain/initiate.ts'
import { rangeFault } from '../domain/lifecycle.ts'
import { endlessMaintenance, isEndless, type Maintenance, noMaintenance } from '../domain/maintenance.ts'
import { type RateSettings, upstreamRates } from '../domain/rates.ts'
import type { RegistryEntry } from '../domain/registry_entry.ts'
import { timeOf } from '../domain/time.ts'
import type { Seed } from '../options.ts'
import type { NewOAuthClient } from '../store/oauth.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import { defaultRates, type RailFailures, type Rails } from '../store/settings.ts'
import type { NewToken } from '../store/tokens.ts'
import type { User } from '../store/users.ts'
import { demoSeed, emptySeed, seededAt } from '../worlds/seed.ts'
import { resolveClients, resolveSubscriptions, resolveTokens, type SeedSubscription } from './access.ts'
import { resolveAccounts, resolveRegistry, resolveUsers } from './holders.ts'
import { entriesOf } from './names.ts'
import { type PastPayment, resolvePayments } from './payments.ts'
import { type Problem, SeedRefusal, shapeProblems } from './problems.ts'
import { Resolving, type SeedAccount, type SeedContext } from './resolving.ts'
import { resolveScheduledCredits } from './scheduled_credits.ts'

/** The rows and settings that a seed defines. */
export interface Resolved {
  readonly users: readonly User[]
  readonly accounts: readonly SeedAccount[]
  readonly registry: readonly RegistryEntry[]
  readonly clients: readonly NewOAuthClient[]
  readonly tokens: readonly NewToken[]
  readonly subscriptions: readonly SeedSubscription[]
  /** In the order of their numbers. */
  readonly payments: readonly PastPayment[]
  readonly scheduledCredits: readonly ScheduledCredit[]
  readonly rails: Rails
  readonly underWay: RailFailures
  readonly maintenance: Maintenance
  readonly fees: Fees
  readonly limits: Limits
  /** A rail that is left out, or undefined, keeps the emulator's setting. */
  readonly settle: SeedFile['settle_ms']
  readonly lenientIban: boolean
  readonly rates: RateSettings
  /** Requests a minute; null: no limit; undefined: the emulator's setting. */
  readonly rateLimit: number | null | undefined
  /** Undefined: the emulator's setting. */
  readonly deliveries: SeedFile['deliveries']
  /** Undefined: the machine's time. */
  readonly clock: ClockSetting | undefined
}

/** Resolves any value given as a seed to rows. Throws a SeedRefusal that lists all its problems. */
export function checkSeed(given: unknown, context: SeedContext): Resolved {
  const shape = shapeProblems(given)
  if (shape.length === 0) return resolveSeed(given as SeedFile, context)
  throw new SeedRefusal([...shape, ...problemsBeside(shape, given, context)])
}

/** Other problems of the entries that have the right shape. */
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
    resolveSeed(seed, context)
    return []
  } catch (error) {
    if (!(error instanceof SeedRefusal)) throw error
    // A reference to an entry that was left out may be right.
    return error.problems.filter(
      ({ reference }) => reference === undefined || (reference && !names.includes(reference)),
    )
  }
}

/** Resolves a seed of the right shape to rows. */
export function resolveSeed(given: Seed, context: SeedContext): Resolved {
  const seed: SeedFile = given === 'demo' ? { extends: 'demo' } : given === 'empty' ? {} : given
  const clock = timeOf(seed.clock?.time ?? '')
  const time = Number.isNaN(clock) ? undefined : clock
  const settle = { ...context.settle, ...seed.settle_ms }
  const lenientIban = context.lenientIban || seed.lenient_iban === true
  const resolving = new Resolving(
    { ...context, settle, lenientIban },
    { start: time ?? context.startsAt ?? context.now, usual: time ?? seededAt },
  )
  const resolved = rowsOf(seed, resolving)
  if (resolving.problems.length > 0) throw new SeedRefusal(resolving.problems)
  return resolved
}

/** The demo's entries come first, so that a repeated value is reported in the file. */
function rowsOf(seed: SeedFile, resolving: Resolving): Resolved {
  const base = seed.extends === 'demo' ? demoSeed : seed.users?.length ? {} : emptySeed
  const users = resolveUsers([...entriesOf('users', base.users), ...entriesOf('users', seed.users)], resolving)
  const accounts = resolveAccounts(
    [...entriesOf('accounts', base.accounts), ...entriesOf('accounts', seed.accounts)],
    resolving,
  )
  const registry = resolveRegistry(
    [...entriesOf('registry', base.registry), ...entriesOf('registry', seed.registry)],
    resolving,
  )
  const fees = feesOf(seed.fees, resolving)
  const { rails = {}, limits, clock } = seed
  const maintenance = maintenanceOf(rails, resolving)
  const clients = resolveClients(entriesOf('clients', seed.clients), resolving)
  const tokens = resolveTokens(entriesOf('tokens', seed.tokens), resolving)
  const subscriptions = resolveSubscriptions(entriesOf('subscriptions', seed.subscriptions), resolving)
  const payments = resolvePayments(entriesOf('payments', seed.payments), resolving, fees)
  const scheduled = entriesOf('scheduled_credits', seed.scheduled_credits)
  return {
    users,
    accounts,
    registry,
    clients,
    tokens,
    subscriptions,
    payments,
    scheduledCredits: resolveScheduledCredits(scheduled, resolving, payments),
    rails: { pin: rails.pin !== 'offline', sinpe_movil: rails.sinpe_movil !== 'offline' },
    underWay: underWayOf(rails, maintenance, resolving),
    maintenance,
    fees,
    limits: { ...noLimits, ...limits, sinpe_movil: { ...noLimits.sinpe_movil, ...limits?.sinpe_movil } },
    settle: settleOf(seed.settle_ms, resolving),
    lenientIban: resolving.lenient,
    rates: ratesOf(seed.fx, resolving),
    rateLimit: seed.rate_limit,
    deliveries: seed.deliveries,
    clock: clock && clockOf(clock, resolving),
  }
}

function feesOf(given: SeedFile['fees'], resolving: Resolving): Fees {
  const fees = { ...defaultFees, ...given }
  const fault = bandFault(fees)
  if (fault !== null) resolving.complain(['fees', fault.field], fault.message)
  return fees
}

function settleOf(times: SeedFile['settle_ms'], resolving: Resolving): SeedFile['settle_ms'] {
  const fault = rangeFault(times ?? {})
  if (fault !== null) resolving.complain(['settle_ms', fault.rail], fault.message)
  return times
}

type SeedRails = NonNullable<SeedFile['rails']>

/** A rail without maintenance in the seed keeps the emulator's. */
function maintenanceOf(rails: SeedRails, resolving: Resolving): Maintenance {
  const maintenance = { ...noMaintenance, ...resolving.context.maintenance, ...rails.maintenance }
  for (const rail of Channel.enum) {
    if (isEndless(maintenance[rail])) resolving.complain(['rails', 'maintenance', rail], endlessMaintenance)
  }
  return maintenance
}

function underWayOf(rails: SeedRails, maintenance: Maintenance, resolving: Resolving): RailFailures {
  const { under_way = {} } = rails
  for (const rail of Channel.enum) {
    if (under_way[rail] && rails[rail] !== 'offline' && maintenance[rail].length === 0)
      resolving.complain(['rails', 'under_way', rail], 'the rail is online and has no maintenance')
  }
  return { pin: 'complete', sinpe_movil: 'complete', ...under_way }
}

function ratesOf(fx: SeedFile['fx'], resolving: Resolving): RateSettings {
  const rates = { ...defaultRates(resolving.context.fxSpread), ...fx }
  const { bid, ask } = upstreamRates(rates, resolving.start)
  if (ask < bid) resolving.complain(['fx', 'ask'], `the ask (${ask}) is below the bid (${bid})`)
  return rates
}

function clockOf({ time, frozen, speed }: NonNullable<SeedFile['clock']>, resolving: Resolving): ClockSetting {
  const since = resolving.context.now
  const start = resolving.time(time, ['clock', 'time'], resolving.start)
  return {
    offset_ms: start - since,
    frozen_at: frozen ? start : null,
    ...(speed !== undefined && { speed, since }),
  }
}
