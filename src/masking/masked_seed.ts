import { largestSpread } from '../contract/emulator_names.ts'
import { eventNames, rejections } from '../contract/event_names.ts'
import { currencies } from '../contract/payment_names.ts'
import { AccountStatus } from '../contract/schemas/account.ts'
import { type SeedFile, seedListLimit } from '../contract/seed_file.ts'
import { CliError } from '../errors/cli_error.ts'
import { ibanOf, type NamedAccount, PaymentMask, phoneOf } from './masked_payments.ts'
import { Masks, type Scale } from './masks.ts'
import { Originals } from './originals.ts'
import type { ServiceContent } from './service_content.ts'

/** A seed that resembles a service but names none of its people. */
interface MaskedSeed {
  readonly seed: SeedFile
  /** Descriptions of the content that the seed leaves out. */
  readonly leftOut: readonly string[]
}

interface Options {
  /** Secret that determines all replacements. */
  readonly key: string
  readonly scale: Scale
  /** Time at which the service was read, in epoch milliseconds. */
  readonly now: number
}

/** Maximum number of sets of replacements to try: the first set whose seed has no original value is used. */
const mostTries = 10

/** Throws CliError if original values would remain. */
export function maskedSeed(content: ServiceContent, { key, scale, now }: Options): MaskedSeed {
  const originals = originalsOf(content)
  let left: readonly string[] = []
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    const masks = new Masks({ key: `${key}\0${attempt}`, originals, scale })
    const made = seedOf(content, masks, now)
    left = maskedValues(made.seed).flatMap((value) => originals.leftIn(value))
    if (left.length === 0) return made
  }
  throw new CliError(
    'conflict',
    `The file would still contain real values of the service (${left.length}), so it was not written.`,
    'Run the command again. With --key-file, use another file',
  )
}

function seedOf(content: ServiceContent, masks: Masks, now: number): MaskedSeed {
  const history = content.payments.toReversed()
  const named = namedAccounts(content)
  const phone = phoneIn(content)
  const start = Math.max(
    now,
    ...history.flatMap(({ created_at, submitted_at, completed_at }) =>
      timesIn([created_at, submitted_at, completed_at]),
    ),
  )
  const { payments, leftOut } = new PaymentMask({ masks, accounts: named, phone, start }).all(history)
  const [first] = content.accounts
  const { name, created_at } = content.user
  const seed: SeedFile = {
    users: [
      {
        alias: owner,
        name: masks.name(first?.owner_name ?? name ?? owner),
        ...(phone !== null && { phone: masks.phone(phone) }),
        ...(first?.document_number && { document_number: masks.document(first.document_number) }),
        ...(typeof first?.document_type === 'number' && { document_type: first.document_type }),
        ...(created_at && { created_at }),
      },
    ],
    accounts: named.map(({ account, alias }) => accountSeed(account, alias, masks)),
    registry: registryOf(content, { masks, own: named, phone }),
    subscriptions: content.subscriptions.toReversed().flatMap((subscription) => subscriptionSeed(subscription, masks)),
    payments,
    ...feesOf(content, masks),
    ...ratesOf(content.rates),
    clock: { time: new Date(start).toISOString() },
  }
  const others = content.accounts.length - named.length
  const owners = new Set(content.accounts.map(({ document_number }) => document_number)).size
  return {
    seed,
    leftOut: [
      ...content.leftOut,
      ...(content.payments.length >= seedListLimit ? [`payments older than the newest ${seedListLimit}`] : []),
      ...(others > 0 ? [`accounts without an IBAN or a currency (${others})`] : []),
      ...(owners > 1 ? [`owners of accounts, except the first owner: in the seed, one user owns all accounts`] : []),
      ...counted(leftOut),
      ...(content.subscriptions.some(({ headers }) => headers) ? ['headers of webhook subscriptions'] : []),
    ],
  }
}

const owner = 'owner'

const timesIn = (times: readonly (string | null | undefined)[]): number[] =>
  times.flatMap((time) => (time ? [Date.parse(time)] : [])).filter(Number.isFinite)

const namedAccounts = ({ accounts }: ServiceContent): NamedAccount[] =>
  accounts
    .filter(({ iban, balance }) => ibanOf(iban) !== undefined && currencies.some((known) => known === balance.currency))
    .map((account, at) => ({ account, alias: `account-${at + 1}` }))

/** The user's own phone, as seen in payments that the user received. */
function phoneIn({ payments }: ServiceContent): string | null {
  const received = payments.filter(
    ({ transfer_type, channel }) => transfer_type === 'credit' && channel === 'sinpe_movil',
  )
  return received.map(({ payee }) => phoneOf(payee.phone_number)).find((phone) => phone !== undefined) ?? null
}

type SeedAccount = NonNullable<SeedFile['accounts']>[number]

function accountSeed(
  { iban, balance, status, created_at, updated_at }: NamedAccount['account'],
  alias: string,
  masks: Masks,
): SeedAccount {
  const currency = balance.currency === 'USD' ? 'USD' : 'CRC'
  const known = AccountStatus.enum.find((one) => one === status)
  return {
    alias,
    user: owner,
    iban: masks.ownIban[currency](iban ?? ''),
    currency,
    balance: masks.amount(Math.max(0, balance.value ?? 0)),
    ...(known && { status: known }),
    ...(created_at && { created_at }),
    ...(updated_at && { updated_at }),
  }
}

type SeedCustomer = NonNullable<SeedFile['registry']>[number]

/** The payees, with the status of each account that was looked up. */
function registryOf(
  { payments, holders }: ServiceContent,
  { masks, own, phone: ownPhone }: { masks: Masks; own: readonly NamedAccount[]; phone: string | null },
): SeedCustomer[] {
  const entries = new Map<string, SeedCustomer>()
  const ownIbans = new Set(own.map(({ account }) => account.iban))
  for (const { transfer_type, payee, amount } of payments) {
    const [iban, phone] = [ibanOf(payee.iban), phoneOf(payee.phone_number)]
    const address = iban ?? phone
    if (transfer_type !== 'debit' || address === undefined || entries.has(address)) continue
    if (ownIbans.has(iban) || phone === ownPhone) continue
    const holder = holders.get(payee.iban ?? payee.phone_number ?? '')
    const { name, document_number } = holder ?? payee
    if (!name?.trim()) continue
    const { document_type } = payee
    entries.set(address, {
      ...(iban === undefined ? { phone: masks.phone(address) } : { iban: masks.iban(iban) }),
      name: masks.name(name.slice(0, 255)),
      document_number: masks.document(document_number ?? ''),
      ...(typeof document_type === 'number' && { document_type }),
      ...(iban !== undefined && amount.currency === 'USD' && { currency: 'USD' as const }),
      ...refusalOf(holder?.status),
    })
  }
  return [...entries.values()].slice(0, seedListLimit)
}

function refusalOf(status: string | null | undefined): Partial<SeedCustomer> {
  if (status === 'closed') return { outcome: 'failed', state_code: 'account_closed' }
  return status === 'blocked' ? { outcome: 'failed', state_code: 'account_blocked' } : {}
}

type SeedSubscription = NonNullable<SeedFile['subscriptions']>[number]

function subscriptionSeed(subscription: ServiceContent['subscriptions'][number], masks: Masks): SeedSubscription[] {
  const { url, max_attempts, timeout, last_sent_at, suspended_at, suspended_reason, created_at, updated_at } =
    subscription
  const events = eventNames.filter((name) => subscription.events.includes(name))
  if (!url || events.length === 0) return []
  return [
    {
      user: owner,
      url: masks.url(url),
      events,
      ...(typeof max_attempts === 'number' && { max_attempts }),
      ...(typeof timeout === 'number' && { timeout }),
      ...(last_sent_at && { last_sent_at }),
      ...(suspended_at && { suspended_at }),
      ...(suspended_at &&
        suspended_reason &&
        suspended_reason !== usualReason && { suspended_reason: masks.text(suspended_reason) }),
      ...(created_at && { created_at }),
      ...(updated_at && { updated_at }),
    },
  ]
}

const usualReason = 'Manual suspension'

/** The commonest fee of each rail. */
function feesOf({ payments }: ServiceContent, masks: Masks): Pick<SeedFile, 'fees'> {
  const counts = {
    pin: new Map<number, number>(),
    pin_usd: new Map<number, number>(),
    sinpe_movil: new Map<number, number>(),
  }
  for (const { transfer_type, channel, fee, amount } of payments) {
    if (transfer_type !== 'debit' || typeof fee?.value !== 'number') continue
    const rail = channel === 'sinpe_movil' ? 'sinpe_movil' : amount.currency === 'USD' ? 'pin_usd' : 'pin'
    counts[rail].set(fee.value, (counts[rail].get(fee.value) ?? 0) + 1)
  }
  const fees = Object.entries(counts).flatMap(([rail, count]) => {
    const [commonest] = [...count].toSorted(([, one], [, other]) => other - one)
    return commonest ? [[rail, masks.amount(commonest[0])] as const] : []
  })
  return fees.length === 0 ? {} : { fees: Object.fromEntries(fees) }
}

function ratesOf({ service, upstream }: ServiceContent['rates']): Pick<SeedFile, 'fx'> {
  const { bid, ask } = upstream ?? service ?? {}
  if (typeof bid !== 'number' || typeof ask !== 'number' || ask < bid) return {}
  const share = upstream && typeof service?.bid === 'number' ? (bid - service.bid) / bid : 0
  const spread = Math.min(Math.max(Number(share.toFixed(6)), 0), largestSpread)
  return { fx: { bid, ask, spread } }
}

function counted(reasons: readonly string[]): string[] {
  const counts = Map.groupBy(reasons, (reason) => reason)
  return [...counts].map(([reason, { length }]) => `${reason} (${length})`)
}

/** All values of a service that identify somebody or something. */
function originalsOf({ user, accounts, payments, subscriptions, holders, rates }: ServiceContent): Originals {
  const originals = new Originals()
  const text = { isText: true }
  const addParty = (party: { name?: string | null | undefined; document_number?: string | null | undefined }) => {
    originals.add(party.name, text)
    originals.add(party.document_number)
  }
  addParty({ name: user.name })
  for (const value of [user.id, user.email]) originals.add(value)
  for (const { id, iban, document_number, owner_name } of accounts) {
    addParty({ name: owner_name, document_number })
    for (const value of [id, iban]) originals.add(value)
  }
  for (const payment of payments) {
    const { id, idempotency_key, channel_reference, sinpe_reference, payer, payee, description, error_message } =
      payment
    for (const party of [payer, payee]) addParty(party)
    originals.add(description, text)
    if (!Object.values(rejections).some((known) => known === error_message)) originals.add(error_message, text)
    for (const value of [id, idempotency_key, channel_reference, sinpe_reference, payer.iban, payee.iban])
      originals.add(value)
    originals.add(phoneOf(payee.phone_number))
  }
  for (const [address, holder] of holders) {
    originals.add(address)
    addParty(holder)
  }
  for (const { id, url, headers, suspended_reason } of subscriptions) {
    for (const value of [id, url, ...Object.values(headers ?? {})]) originals.add(value)
    if (suspended_reason !== usualReason) originals.add(suspended_reason, text)
  }
  for (const rate of [rates.service, rates.upstream]) originals.add(rate?.source)
  return originals
}

/**
 * All values of a seed that replace values of the service. URLs are not included: they are new, and contain nothing of
 * the originals.
 */
function maskedValues({
  users = [],
  accounts = [],
  registry = [],
  subscriptions = [],
  payments = [],
}: SeedFile): string[] {
  const parties = [...users, ...registry, ...payments].flatMap(({ name, document_number }) => [name, document_number])
  const addresses = [...users, ...registry].map(({ phone }) => phone)
  const ibans = [...accounts, ...registry].map(({ iban }) => iban)
  const texts = payments.flatMap(({ to, from, description, error }) => [to, from, description, error])
  const reasons = subscriptions.map(({ suspended_reason }) => suspended_reason)
  return [...parties, ...addresses, ...ibans, ...texts, ...reasons].filter((value) => typeof value === 'string')
}
