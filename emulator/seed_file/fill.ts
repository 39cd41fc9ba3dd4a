import type { SeedFile } from '../../src/contract/index.ts'
import type { Seed } from '../options.ts'
import { bookMovement } from '../payments/payment_runner.ts'
import type { Steps } from '../slices.ts'
import { digest } from '../store/secret.ts'
import type { StoredSettings } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { demo, ownClient, setSecrets } from '../worlds/seed.ts'
import type { WorldOptions } from '../worlds/world_options.ts'
import { type Resolved, resolveSeed } from './resolve.ts'

/** Fills a new world from a checked seed. `now` is the machine's time, in epoch milliseconds. */
export function* fill(store: Store, seed: Seed, { options, now }: { options: WorldOptions; now: number }): Steps<void> {
  const rows = yield* resolveSeed(seed, { ...seedContext(options, now), exposed: false })
  const { settings } = store
  const { signature_header } = { ...options.deliveries, ...rows.settings.deliveries }
  const signs = signature_header !== null
  settings.set('seed', typeof seed === 'string' ? seed : withoutSecrets(seed, signs))
  for (const [name, value] of Object.entries(rows.settings)) settings.set(name as keyof StoredSettings, value)
  for (const user of rows.users) store.users.add(user)
  store.clients.put({ ...ownClient, secret: demo.clientSecret })
  setSecrets(store, options, now)
  for (const client of rows.clients) store.clients.put(client)
  for (const token of rows.tokens) store.tokens.put(token)
  for (const entry of rows.registry) {
    store.registry.add(entry)
    yield
  }
  for (const subscription of rows.subscriptions) {
    const seq = store.subscriptions.add({ ...subscription, signs })
    if (subscription.suspension !== null) store.subscriptions.suspend(seq, subscription.suspension)
    if (subscription.last_sent_at !== null) store.subscriptions.sent(seq, subscription.last_sent_at)
  }
  yield* addMoney(store, rows)
  for (const credit of rows.scheduledCredits) store.scheduledCredits.add(credit)
}

/** The context for resolving a seed, with the values that come from the emulator's options. */
export const seedContext = (options: WorldOptions, now: number) => ({
  now,
  startsAt: options.startsAt,
  settle: options.settle,
  lenientIban: options.lenientIban,
  token: options.token,
  clientIds: options.oauthClients.map(({ id }) => id),
  exposed: options.exposed,
  fxSpread: options.fxSpread,
  maintenance: options.maintenance,
})

/** Opens the accounts and books their payments so that each account ends with its balance. */
function* addMoney(store: Store, { accounts, payments }: Resolved): Steps<void> {
  const { ledger } = store
  const held = new Map<number, number>()
  for (const { payment, movements } of payments) {
    const { account, amount, fee } = payment
    if (movements[0]?.movement === 'hold') held.set(account, (held.get(account) ?? 0) + amount + fee)
  }
  for (const account of accounts) {
    const { id: owner, seq, currency, balance, created_at: at } = account
    store.accounts.add(account)
    ledger.fund({ owner, currency, amount: balance + (held.get(seq) ?? 0), at })
    yield
  }
  for (const { payment, movements, keyForgotten } of payments) {
    store.payments.add(payment, keyForgotten)
    for (const { movement, at } of movements) bookMovement(store, movement, { payment, at })
    yield
  }
  // Corrects the balance, which is too high after received credits and released holds.
  for (const { id: owner, currency, balance, created_at: at } of accounts) {
    const left = ledger.balance(ledger.account(owner, 'available', currency))
    ledger.fund({ owner, currency, amount: balance - left, at })
    yield
  }
}

/** The stored form of a seed: digests replace secrets, except those that sign deliveries. */
export const withoutSecrets = (seed: SeedFile, signs: boolean): SeedFile => ({
  ...seed,
  ...(seed.clients && { clients: seed.clients.map((client) => hidden(client, 'client_secret')) }),
  ...(seed.tokens && { tokens: seed.tokens.map((token) => hidden(token, 'token')) }),
  ...(seed.subscriptions && !signs && { subscriptions: seed.subscriptions.map((each) => hidden(each, 'secret')) }),
})

function hidden<T extends object>(entry: T, field: keyof T & string): T {
  const { [field]: secret, ...others } = entry
  if (secret === undefined) return entry
  return { ...others, [`${field}_sha256`]: digest(String(secret)).toString('hex') } as unknown as T
}
