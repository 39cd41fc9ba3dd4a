import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { allScopes, buildIban, channels, eventNames, type Outcome, type SeedFile } from '../../../src/contract/index.ts'
import { full } from '../../support/full.ts'

type List<Name extends keyof SeedFile> = NonNullable<SeedFile[Name]>

/** Time of the world's clock. All times in the seed are earlier, except due times. */
const now = Date.parse('2030-01-05T12:00:00Z')
const iso = (ms: number) => new Date(ms).toISOString()

const past = fc.integer({ min: 1, max: 10_000_000 }).map((ago) => iso(now - ago))
const future = fc.integer({ min: 1, max: 10_000_000 }).map((after) => iso(now + after))
const uuids = (count: number) => fc.uniqueArray(fc.uuid(), { minLength: count, maxLength: count })
const minor = (max: number) => fc.integer({ min: 1, max })
const word = fc.stringMatching(/^[a-zé]{1,12}$/)
const document = { document_number: fc.constantFrom('0101110001', '155812345678'), document_type: fc.nat({ max: 5 }) }
const scopes = fc.subarray([...allScopes], { minLength: 1 })
const sha256 = fc.stringMatching(/^[0-9a-f]{64}$/)

/** An object with some of these members. */
const some = <T extends object>(members: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(members, { requiredKeys: [] })

const flatFee = fc.nat({ max: 1000 })
const fee = fc.oneof(
  flatFee,
  fc.tuple(minor(1_000_000), flatFee, flatFee).map(([up_to, low, high]) => [
    { up_to, fee: low },
    { up_to: null, fee: high },
  ]),
)
const windows = fc.subarray(['02:00-04:00', 'sun 22:00-23:30', 'fri-mon 05:00-05:01'])
const milliseconds = fc.nat({ max: 100_000 })
const settleTime = fc.oneof(
  fc.constant('manual' as const),
  milliseconds,
  fc.tuple(milliseconds, milliseconds).map(([from, more]) => ({ from, to: from + more })),
)

/** Only rails that are offline or have maintenance have an `under_way`. */
const rails = fc
  .record({
    states: fc.tuple(fc.constantFrom('online', 'offline'), fc.constantFrom('online', 'offline')),
    windows: fc.tuple(windows, windows),
    underWay: fc.tuple(...channels.map(() => fc.constantFrom('complete', 'hang', 'timeout'))),
  })
  .map(({ states: [pin, sinpe_movil], windows: [ofPin, ofSinpe], underWay }): List<'rails'> => {
    const failing = [pin === 'offline' || ofPin.length > 0, sinpe_movil === 'offline' || ofSinpe.length > 0]
    const results = channels.flatMap((rail, at) => (failing[at] ? [[rail, underWay[at]] as const] : []))
    return {
      pin,
      sinpe_movil,
      ...(results.length > 0 && { under_way: Object.fromEntries(results) }),
      ...(ofPin.length + ofSinpe.length > 0 && { maintenance: { pin: ofPin, sinpe_movil: ofSinpe } }),
    }
  })

const settings = fc
  .record({
    rails,
    clock: fc.constantFrom({ time: iso(now), frozen: true }, { time: iso(now), frozen: true, speed: 60 }),
    fees: fc.record({ pin: fee, pin_usd: fee, sinpe_movil: fee, own_accounts: fc.constantFrom('same', 'free') }),
    limits: fc.record({
      sinpe_movil: fc.record({ payment: fc.option(minor(500_000)), day: fc.option(minor(900_000)) }),
      answer: fc.constantFrom('refuse', 'late'),
    }),
    fx: fc.record({
      bid: fc.option(fc.constantFrom(490.5, 499)),
      ask: fc.option(fc.constantFrom(511, 600.25)),
      spread: fc.constantFrom(0, 0.01, 0.5),
      offline: fc.boolean(),
    }),
    others: some<Pick<SeedFile, 'settle_ms' | 'lenient_iban' | 'rate_limit' | 'deliveries'>>({
      settle_ms: some({ pin: settleTime, sinpe_movil: settleTime }).filter((times) => Object.keys(times).length > 0),
      lenient_iban: fc.constant(true),
      rate_limit: fc.option(minor(5999)),
      deliveries: some({
        plain: fc.boolean(),
        signature_header: fc.constantFrom(null, 'X-Signature'),
      }).filter((all) => Object.keys(all).length > 0),
    }),
  })
  .map(({ others, ...rest }) => ({ ...rest, ...others }))

/** Two users; the first has two accounts, the second has one account. */
const holders = fc
  .record({
    ids: uuids(5),
    users: fc.tuple(
      ...[1, 2].map(() => fc.record({ name: word, ...document, created_at: past, verified: fc.option(past) })),
    ),
    accounts: fc.tuple(
      ...[1, 2, 3].map(() =>
        fc.record({
          currency: fc.constantFrom('CRC', 'USD'),
          balance: fc.nat({ max: 1_000_000_000 }),
          status: fc.constantFrom('active', 'inactive', 'closed'),
          created_at: past,
          updated_at: past,
        }),
      ),
    ),
    phone: fc.boolean(),
  })
  .map(({ ids, users, accounts, phone }) => ({
    users: users.map(({ verified, ...user }, at): List<'users'>[number] => ({
      ...user,
      id: ids[at] as string,
      email: `user${at}@example.com`,
      email_verified_at: verified,
      phone: at === 0 || phone ? `6111000${at}` : null,
    })),
    accounts: accounts.map((account, at): List<'accounts'>[number] => ({
      ...account,
      id: ids[at + 2] as string,
      user: ids[at === 2 ? 1 : 0] as string,
      iban: buildIban('999', `${account.currency === 'CRC' ? 1 : 2}000000000007${at}`),
      // Payments of these tests are in colones.
      ...(at === 0 && { currency: 'CRC', status: 'active', iban: buildIban('999', '10000000000070') }),
    })),
  }))

/** Entries of the registry, sorted by name like an export. */
const registry = fc
  .array(
    fc.record({
      name: word,
      ...document,
      byPhone: fc.boolean(),
      failing: fc.option(
        fc.record({ state_code: fc.constantFrom('rejected', 'account_closed', 'own'), error: fc.option(word) }),
      ),
      outcome: fc.constantFrom<Outcome>('completed', 'timeout', 'slow', 'processing', 'fee_unknown'),
      status: fc.constantFrom('active', 'closed', 'blocked'),
    }),
    { maxLength: 5 },
  )
  .map((all) =>
    all
      .map(({ byPhone, failing, outcome, ...entry }, at): List<'registry'>[number] => ({
        ...entry,
        ...(byPhone ? { phone: `8700000${at}`, entity: '161' } : { iban: buildIban('151', `0010000000000${at}`) }),
        currency: 'CRC',
        outcome: failing ? 'failed' : outcome,
        ...(failing && { state_code: failing.state_code, ...(failing.error && { error: failing.error }) }),
      }))
      .sort((a, b) => Buffer.compare(Buffer.from(keyOf(a)), Buffer.from(keyOf(b)))),
  )
const keyOf = ({ name, phone, iban }: List<'registry'>[number]) => `${name}\0${phone ?? iban}`

const access = fc.record({
  clients: fc
    .array(fc.record({ name: word, scopes, created_at: past, secret: fc.option(sha256) }), { maxLength: 3 })
    .map((all) =>
      all.map(({ secret, ...client }, at): List<'clients'>[number] => ({
        ...client,
        client_id: `client-${at}`,
        redirect_uris: ['https://shop.example/callback'],
        ...(secret === null ? { public: true } : { client_secret_sha256: secret }),
      })),
    ),
  tokens: fc.uniqueArray(
    fc.record({
      token_sha256: sha256,
      scopes,
      created_at: past,
      expires_at: fc.option(future),
      user: fc.nat({ max: 1 }),
    }),
    { maxLength: 3, selector: ({ token_sha256 }) => token_sha256 },
  ),
  subscriptions: fc.array(
    fc.record({
      id: fc.uuid(),
      user: fc.nat({ max: 1 }),
      events: fc.subarray([...eventNames], { minLength: 1 }),
      max_attempts: fc.integer({ min: 1, max: 10 }),
      timeout: fc.integer({ min: 5, max: 120 }),
      created_at: past,
      updated_at: past,
      suspended: fc.option(fc.record({ suspended_at: past, suspended_reason: word })),
      others: some({ headers: fc.constant({ 'X-Key': 'k' }), secret_sha256: sha256, last_sent_at: past }),
    }),
    { maxLength: 3 },
  ),
})

const description = some({ description: word })
const sender = fc.record({
  from: fc.constantFrom(buildIban('151', '00010000000001'), buildIban('152', '00010000000002')),
  name: word,
  ...document,
})

const money = fc.record({
  payments: fc.array(
    fc.record({
      id: fc.uuid(),
      amount: minor(500_000),
      fee: fc.nat({ max: 500 }),
      description: word,
      kind: fc.constantFrom('pending', 'processing', 'completed', 'failed', 'timeout', 'credit'),
      ago: fc.tuple(minor(1000), minor(1000), minor(1000)),
      sender,
    }),
    { maxLength: 6 },
  ),
  scheduled: fc.array(
    fc.record({ id: fc.uuid(), amount: minor(500_000), due_at: future, created_at: past, sender, description }),
    { maxLength: 3 },
  ),
})

type Drawn = typeof money extends fc.Arbitrary<infer T> ? T : never

/** A payment from or to an account, in each kind of state; its payee is not in the registry. */
function paymentOf(
  { kind, ago: [a, b, c], sender, fee, ...common }: Drawn['payments'][number],
  account: string,
  at: number,
) {
  const [created_at, submitted_at, completed_at] = [iso(now - a - b - c), iso(now - a - b), iso(now - a)]
  const payment = {
    ...common,
    account,
    number: at + 1,
    channel: 'pin' as const,
    idempotency_key: `key-${at}`,
    created_at,
  }
  const { from, ...identity } = sender
  if (kind === 'credit') return { ...payment, transfer_type: 'credit' as const, ...sender }
  const debit = { ...payment, to: from, fee, status: kind, ...identity }
  const unfinished = { outcome: 'completed' as const, settle_ms: 90_000, due_at: iso(now + 30_000) }
  switch (kind) {
    case 'pending':
      return { ...debit, ...unfinished }
    case 'processing':
      return { ...debit, ...unfinished, submitted_at }
    case 'completed':
      return { ...debit, submitted_at, completed_at }
    case 'failed':
      return { ...debit, submitted_at, state_code: 'rejected', error: 'Sin fondos' }
    case 'timeout':
      return { ...debit, submitted_at }
  }
}

const seeds = fc
  .record({ settings, holders, registry, access, money })
  .map(({ settings, holders, registry, access: { clients, tokens, subscriptions }, money }): SeedFile => {
    const { users, accounts } = holders
    const userOf = (at: number) => users[at]?.id as string
    const account = accounts[0]?.id as string
    const scheduled_credits = money.scheduled.map(({ sender, description, ...credit }) => ({
      ...credit,
      ...description,
      ...sender,
      account,
      channel: 'pin' as const,
    }))
    return {
      ...settings,
      users,
      accounts,
      registry,
      clients,
      tokens: tokens.map((token) => ({ ...token, user: userOf(token.user) })),
      subscriptions: subscriptions.map(({ suspended, others, ...subscription }, at) => ({
        ...subscription,
        ...others,
        ...(suspended && { ...suspended, updated_at: suspended.suspended_at }),
        user: userOf(subscription.user),
        url: `https://shop.example/${at}`,
      })),
      payments: money.payments.map((payment, at) => paymentOf(payment, account, at)),
      ...(scheduled_credits.length > 0 && { scheduled_credits }),
    }
  })

it('a seed that leaves nothing out is read and written without a change', async () => {
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      await using emulator = await startEmulator({ settle: 'manual', seed })
      expect(await emulator.control.seed()).toEqual({ seed, left_out: [] })
    }),
    { numRuns: full ? 300 : 15 },
  )
})
