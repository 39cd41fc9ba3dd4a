import { type Channel, type ExportedSeed, isUnderWay, type SeedFile, seedListLimit } from '../../src/contract/index.ts'
import type { Payment } from '../domain/payment.ts'
import type { RegistryEntry } from '../domain/registry_entry.ts'
import { emulatorEntity, entityOfReference } from '../domain/sinpe.ts'
import type { Account } from '../store/accounts.ts'
import type { OAuthClient } from '../store/oauth_clients.ts'
import type { ScheduledCredit } from '../store/scheduled_credits.ts'
import type { Subscription } from '../store/subscriptions.ts'
import type { KeptToken } from '../store/tokens.ts'
import type { User } from '../store/users.ts'
import { demo, seededAt } from '../worlds/seed.ts'
import type { World } from '../worlds/world.ts'
import type { Item } from './names.ts'

/** Exports a seed that makes a world like this one, and lists in words what the seed leaves out. */
export function seedOf(world: World): ExportedSeed {
  const { store, settings, clock, rateLimits, options } = world
  const ownClients = [demo.clientId, ...options.oauthClients.map(({ id }) => id)]
  const tokens = store.tokenRecords.secrets()
  const usable = tokens.filter(({ authorization, revoked_at }) => authorization === null && revoked_at === null)
  const userIds = new Map(store.users.all().map(({ seq, id }) => [seq, id]))
  const userOf = (seq: number): string => userIds.get(seq) ?? ''
  const { pin, sinpe_movil } = settings.rails()
  const { bid, ask, spread, offline } = settings.rates()
  const payments = paymentSeeds(store.payments.all(), store.accounts.all())
  // Balances are current, so the oldest finished payments can be left out; payments under way can't.
  const finished = payments.filter(({ status }) => !isUnderWay(status))
  const leftOut = new Set(finished.slice(0, Math.max(0, payments.length - seedListLimit)))
  const credits = store.scheduledCredits.all()
  const scheduled = scheduledSeeds(credits, store.accounts.all())
  const seed: SeedFile = {
    clock: { time: iso(clock.now()), frozen: clock.frozen, ...(clock.speed !== 1 && { speed: clock.speed }) },
    rails: {
      pin: pin ? 'online' : 'offline',
      sinpe_movil: sinpe_movil ? 'online' : 'offline',
      ...underWayOf(settings),
      ...maintenanceOf(world),
    },
    fees: { ...settings.fees() },
    limits: { ...settings.limits() },
    ...(Object.keys(settings.settle()).length > 0 && { settle_ms: settings.settle() }),
    ...(settings.lenientIban() && { lenient_iban: true }),
    fx: { bid, ask, spread, offline },
    ...(rateLimits.limit !== options.rateLimit && { rate_limit: rateLimits.limit }),
    ...(Object.keys(settings.deliveries()).length > 0 && { deliveries: settings.deliveries() }),
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
  const [rails, maintenance] = [settings.rails(), settings.maintenance()]
  const failing = (rail: Channel) => !rails[rail] || maintenance[rail].length > 0
  const results = Object.entries(settings.underWay()).filter(([rail]) => failing(rail as Channel))
  return results.length === 0 ? {} : { under_way: Object.fromEntries(results) }
}

/** An empty timetable is exported if the emulator has one: it overrides the emulator's. */
function maintenanceOf({ settings, options }: World): Pick<SeedRails, 'maintenance'> {
  const { pin, sinpe_movil } = settings.maintenance()
  const some = [pin, sinpe_movil, ...Object.values(options.maintenance)].some(({ length }) => length > 0)
  return some ? { maintenance: { pin: [...pin], sinpe_movil: [...sinpe_movil] } } : {}
}

const counted = (count: number, what: string): string[] => (count === 0 ? [] : [`${what} (${count})`])

const iso = (time: number): string => new Date(time).toISOString()
const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time))

const userSeed = ({ seq, updated_at, ...user }: User): Item<'users'> => ({
  ...user,
  email_verified_at: isoOrNull(user.email_verified_at),
  created_at: iso(user.created_at),
})

const accountSeed = (account: Account, user: string): Item<'accounts'> => {
  const { id, iban, currency, balance, status, created_at, updated_at } = account
  return { id, user, iban, currency, balance, status, created_at: iso(created_at), updated_at: iso(updated_at) }
}

function registrySeed({ address, entity, state_code, failure_text, ...entry }: RegistryEntry): Item<'registry'> {
  const where = address.startsWith('CR') ? { iban: address } : { phone: address, entity }
  return { ...where, ...entry, ...(state_code && { state_code }), ...(failure_text && { error: failure_text }) }
}

const clientSeed = (client: OAuthClient): Item<'clients'> => {
  const { id, name, isPublic, secret_hash, redirect_uris, scopes, created_at } = client
  return {
    client_id: id,
    name,
    ...(isPublic ? { public: true } : { client_secret_sha256: secret_hash.toString('hex') }),
    redirect_uris: [...redirect_uris],
    scopes: [...scopes],
    created_at: iso(created_at),
  }
}

const tokenSeed = ({ hash, scopes, expires_at, created_at }: KeptToken, user: string): Item<'tokens'> => ({
  token_sha256: hash.toString('hex'),
  user,
  scopes,
  expires_at: isoOrNull(expires_at),
  created_at: iso(created_at),
})

type KeptSubscription = Subscription & { readonly secret_hash: Buffer | null }

const subscriptionSeed = (subscription: KeptSubscription, user: string): Item<'subscriptions'> => {
  const { id, url, events, max_attempts, timeout, headers, secret_hash } = subscription
  const { last_sent_at, suspended_at, suspended_reason, created_at, updated_at } = subscription
  return {
    id,
    user,
    url,
    events: [...events],
    max_attempts,
    timeout,
    ...(headers && { headers: { ...headers } }),
    ...(secret_hash && { secret_sha256: secret_hash.toString('hex') }),
    ...(last_sent_at !== null && { last_sent_at: iso(last_sent_at) }),
    ...(suspended_at !== null && { suspended_at: iso(suspended_at) }),
    ...(suspended_reason !== null && { suspended_reason }),
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  }
}

type PaymentSeed = Item<'payments'>

/**
 * All payments. A payment between two accounts of the world includes the receiver's record, which has the same
 * reference.
 */
function paymentSeeds(payments: readonly Payment[], accounts: readonly Account[]): PaymentSeed[] {
  const accountIds = new Map(accounts.map(({ seq, id }) => [seq, id]))
  const debits = new Set(payments.filter(({ transfer_type }) => transfer_type === 'debit').map(referenceOf))
  const isReceipt = (payment: Payment) => payment.transfer_type === 'credit' && debits.has(referenceOf(payment))
  const receipts = new Map(payments.filter(isReceipt).map((payment) => [referenceOf(payment), payment]))
  return payments
    .filter((payment) => !isReceipt(payment))
    .map((payment) => {
      const account = accountIds.get(payment.account) ?? ''
      if (payment.transfer_type === 'credit') return creditSeed(payment, account)
      const receipt = receipts.get(referenceOf(payment))
      const payee = payment.payee_account === null ? undefined : accountIds.get(payment.payee_account)
      return {
        ...debitSeed(payment, account, payee),
        ...(receipt && { receipt: { id: receipt.id, number: receipt.seq } }),
      }
    })
}

const referenceOf = ({ channel_reference }: Payment): string => channel_reference

const common = ({ id, seq, channel, amount, description, idempotency_key, created_at }: Payment): PaymentSeed => ({
  id,
  number: seq,
  channel,
  amount,
  idempotency_key,
  created_at: iso(created_at),
  ...(description !== null && { description }),
})

const creditSeed = (payment: Payment, account: string): PaymentSeed => ({
  ...common(payment),
  account,
  transfer_type: 'credit',
  ...givenReference(payment),
  ...((payment.payer.iban ?? payment.payer.phone) && { from: payment.payer.iban ?? payment.payer.phone ?? '' }),
  ...identity(payment.payer),
})

/** A generated reference is left out: it follows from the number of the payment. */
const givenReference = ({ sinpe_reference: reference }: Pick<Payment, 'sinpe_reference'>) =>
  reference !== null && entityOfReference(reference) !== emulatorEntity ? { sinpe_reference: reference } : {}

/** Scheduled credits that have not arrived yet. */
function scheduledSeeds(credits: readonly ScheduledCredit[], accounts: readonly Account[]) {
  const accountIds = new Map(accounts.map(({ seq, id }) => [seq, id]))
  return credits
    .filter(({ status }) => status === 'scheduled')
    .map((credit): Item<'scheduled_credits'> => {
      const { id, account, channel, amount, payer, description, due_at, created_at } = credit
      const from = payer.iban ?? payer.phone
      return {
        id,
        account: accountIds.get(account) ?? '',
        channel,
        amount,
        ...(from !== null && { from }),
        ...identity(payer),
        ...(description !== null && { description }),
        ...givenReference(credit),
        due_at: iso(due_at),
        created_at: iso(created_at),
      }
    })
}

function debitSeed(payment: Payment, account: string, payee: string | undefined): PaymentSeed {
  const { status, outcome, state_code, failure_text, fee, submitted_at, completed_at, due_at, settle_ms } = payment
  const unfinished = isUnderWay(status)
  const to = payee ?? payment.payee.iban ?? payment.payee.phone ?? ''
  return {
    ...common(payment),
    account,
    to,
    fee,
    status,
    ...(payee === undefined && identity(payment.payee)),
    ...((unfinished || (status === 'completed' && outcome !== status)) && { outcome }),
    ...((unfinished ? outcome : status) === 'failed' && {
      ...(state_code && { state_code }),
      ...(failure_text && { error: failure_text }),
    }),
    ...(submitted_at !== null && { submitted_at: iso(submitted_at) }),
    ...(completed_at !== null && { completed_at: iso(completed_at) }),
    ...(due_at !== null && { due_at: iso(due_at) }),
    ...(unfinished && { settle_ms }),
  }
}

const identity = ({ name, document_number, document_type }: Payment['payer']) => ({
  name,
  document_number,
  document_type,
})
