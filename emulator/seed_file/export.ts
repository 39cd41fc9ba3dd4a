import { type Channel, type ExportedSeed, isUnderWay, type SeedFile, seedListLimit } from '../../src/contract/index.ts'
import { isoTime } from '../domain/time.ts'
import { demo, seededAt } from '../worlds/seed.ts'
import type { World } from '../worlds/world.ts'
import { clientSeed, subscriptionSeed, tokenSeed } from './access.ts'
import { accountSeed, registrySeed, userSeed } from './holders.ts'
import { paymentSeeds } from './payments.ts'
import { scheduledSeeds } from './scheduled_credits.ts'

/** Exports a seed that makes a world like this one, and lists in words what the seed leaves out. */
export function seedOf(world: World): ExportedSeed {
  const { store, settings, clock, rateLimits, options } = world
  const ownClients = [demo.clientId, ...options.oauthClients.map(({ id }) => id)]
  const tokens = store.tokenRecords.secrets()
  const usable = tokens.filter(({ authorization, revoked_at }) => authorization === null && revoked_at === null)
  const userIds = new Map(store.users.all().map(({ seq, id }) => [seq, id]))
  const userOf = (seq: number): string => userIds.get(seq) ?? ''
  const { pin, sinpe_movil } = settings.get('rails')
  const { bid, ask, spread, offline } = settings.get('rates')
  const payments = paymentSeeds(store.payments.all(), store.accounts.all())
  // Balances are current, so the oldest finished payments can be left out; payments under way can't.
  const finished = payments.filter(({ status }) => !isUnderWay(status))
  const leftOut = new Set(finished.slice(0, Math.max(0, payments.length - seedListLimit)))
  const credits = store.scheduledCredits.all()
  const scheduled = scheduledSeeds(credits, store.accounts.all())
  const seed: SeedFile = {
    clock: { time: isoTime(clock.now()), frozen: clock.frozen, ...(clock.speed !== 1 && { speed: clock.speed }) },
    rails: {
      pin: pin ? 'online' : 'offline',
      sinpe_movil: sinpe_movil ? 'online' : 'offline',
      ...underWayOf(settings),
      ...maintenanceOf(world),
    },
    fees: { ...settings.get('fees') },
    limits: { ...settings.get('limits') },
    ...(Object.keys(settings.get('settle')).length > 0 && { settle_ms: settings.get('settle') }),
    ...(settings.get('lenientIban') && { lenient_iban: true }),
    fx: { bid, ask, spread, offline },
    ...(rateLimits.limit !== options.rateLimit && { rate_limit: rateLimits.limit }),
    ...(Object.keys(settings.get('deliveries')).length > 0 && { deliveries: settings.get('deliveries') }),
    users: store.users.all().map(userSeed),
    accounts: store.accounts.all().map((account) => accountSeed(account, userOf(account.user))),
    registry: store.registry.all().map(registrySeed),
    clients: store.clients
      .all()
      .filter(({ id }) => !ownClients.includes(id))
      .map(clientSeed),
    tokens: usable
      .filter(({ created_at }) => created_at !== seededAt)
      .map((token) => tokenSeed(token, userOf(token.user))),
    subscriptions: store.subscriptions.all().map((each) => subscriptionSeed(each, userOf(each.user))),
    payments: payments.filter((payment) => !leftOut.has(payment)),
    ...(scheduled.length > 0 && { scheduled_credits: scheduled.slice(0, seedListLimit) }),
  }
  const deliveries = Object.values(store.deliveries.countOf({})).reduce((sum, count) => sum + count, 0)
  const left_out = [
    ...counted(leftOut.size, 'the oldest payments'),
    ...counted(deliveries, 'webhook deliveries, those that wait included'),
    ...counted(tokens.length - usable.length, 'access tokens that were revoked, or that OAuth clients were given'),
    ...counted(Math.max(0, scheduled.length - seedListLimit), 'the newest scheduled credits'),
    ...counted(credits.filter(({ status }) => status === 'returned').length, 'scheduled credits that were returned'),
    ...counted(store.payments.returns(), 'which payments were returned'),
    ...counted(world.faults.list().length, 'faults'),
  ]
  return { seed, left_out }
}

type SeedRails = NonNullable<SeedFile['rails']>

/** Only rails that are offline or have maintenance have `under_way`. */
function underWayOf(settings: World['settings']): Pick<SeedRails, 'under_way'> {
  const [rails, maintenance] = [settings.get('rails'), settings.get('maintenance')]
  const failing = (rail: Channel) => !rails[rail] || maintenance[rail].length > 0
  const results = Object.entries(settings.get('underWay')).filter(([rail]) => failing(rail as Channel))
  return results.length === 0 ? {} : { under_way: Object.fromEntries(results) }
}

/** An empty timetable is exported if the emulator has one: it overrides the emulator's. */
function maintenanceOf({ settings, options }: World): Pick<SeedRails, 'maintenance'> {
  const { pin, sinpe_movil } = settings.get('maintenance')
  const some = [pin, sinpe_movil, ...Object.values(options.maintenance)].some(({ length }) => length > 0)
  return some ? { maintenance: { pin: [...pin], sinpe_movil: [...sinpe_movil] } } : {}
}

const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${what} (${count})`])
