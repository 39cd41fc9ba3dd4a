import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sinpeCheckDigit } from '../../../emulator/domain/sinpe.ts'
import { type Emulator, startEmulator } from '../../../emulator/index.ts'
import { createClient } from '../../../src/client/index.ts'
import { PaymentStatus, type SeedFile } from '../../../src/contract/index.ts'
import { full } from '../../support/full.ts'
import { expectBalanced, fileWith, pair, seenBy, startSeeded } from './seeded.ts'

/** Everything that a world shows, except its id and the difference of its clock from the machine's. */
async function shownBy(emulator: Emulator, tokens: readonly string[]) {
  const { control } = emulator
  const { world: _, clock, ...state } = await control.state()
  return {
    ...{ state, now: clock.now, frozen: clock.frozen, speed: clock.speed },
    users: await control.users.list(),
    tokens: await control.tokens.list(),
    clients: await control.clients.list(),
    registry: await control.registry.list(),
    rateLimit: await control.rateLimit.get(),
    credits: (await control.credits.list({ per_page: 100 })).data,
    seen: await Promise.all(tokens.map((token) => seenBy(emulator, token))),
  }
}

/** Starts another emulator from an export; both must agree, now and when all payments have ended. */
async function roundTrip(emulator: Emulator, tokens: readonly string[]): Promise<void> {
  const exported = await emulator.control.seed()
  await using other = await startEmulator({ settle: 'manual', seed: exported.seed })
  const [one, another] = [await shownBy(emulator, tokens), await shownBy(other, tokens)]
  expect(another).toEqual({ ...one, state: { ...one.state, seed: 'custom' } })
  expect(await other.control.seed()).toEqual(exported)
  expectBalanced(other)
  for (const each of [emulator, other]) await each.control.clock.runUntilIdle()
  const payments = async (each: Emulator) => (await seenBy(each, each.token)).payments.map(endOf)
  expect(await payments(other)).toEqual(await payments(emulator))
  expect(other.accounts()).toEqual(emulator.accounts())
}

type Seen = Awaited<ReturnType<typeof seenBy>>['payments'][number]

/** Final values of a payment that must be equal in both worlds; ids of receipts may differ. */
const endOf = ({ status, fee, error_message, payee, amount, completed_at }: Seen) => ({
  ...{ status, fee, error_message, payee, amount, completed_at },
})

const clock = { time: '2030-01-05T12:00:00Z', frozen: true }
const tokens = [
  { token: 'ana-token', user: 'ana' },
  { token: 'leo-token', user: 'leo' },
]

const accounts = ['a', 'b', 'c', 'd']

const payment = fc
  .record({
    account: fc.constantFrom(...accounts),
    to: fc.constantFrom(...accounts, '61119999', '61118888', '61110001', '61110002'),
    amount: fc.integer({ min: 1, max: 500_000 }),
    status: fc.constantFrom(...PaymentStatus.enum),
    fee: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
    minutes: fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 1 })),
    incoming: fc.boolean(),
  })
  .map(({ minutes: [ago, toSubmit, toEnd], incoming, account, to, amount, status, fee }) => {
    const at = (minute: number) => new Date(Date.parse(clock.time) - minute * 60_000).toISOString()
    const created_at = at(ago + 2)
    if (incoming) return { account, transfer_type: 'credit' as const, amount, created_at }
    const submitted = !['pending', 'service_unavailable', 'validation_failed'].includes(status)
    return {
      ...{ account, to, amount, status, created_at },
      ...(fee !== undefined && { fee }),
      ...(submitted && { submitted_at: at(ago + 2 - toSubmit) }),
      ...(status === 'completed' && { completed_at: at(ago + 2 - toSubmit - toEnd) }),
    }
  })
  .filter((made) => !('to' in made) || (made.to !== made.account && isPossible(made)))

/**
 * False if a payment by phone would reach the account that it comes from: a phone leads to its user's first account.
 */
function isPossible({ account, to }: { account: string; to: string }): boolean {
  const standsFor: Readonly<Record<string, string>> = { '61110001': 'a', '61110002': 'b' }
  return standsFor[to] !== account
}

/** A scheduled credit. The position of the credit decides its reference, so all references differ. */
const scheduledCredit = fc
  .record({
    account: fc.constantFrom(...accounts),
    amount: fc.integer({ min: 1, max: 500_000 }),
    channel: fc.constantFrom('pin' as const, 'sinpe_movil' as const),
    minutes: fc.integer({ min: 1, max: 600 }),
    description: fc.constantFrom(undefined, 'Factura 12'),
    referenced: fc.boolean(),
  })
  .map(({ minutes, referenced, description, ...credit }) => ({
    ...{ credit, referenced, ...(description !== undefined && { description }) },
    due_at: new Date(Date.parse(clock.time) + minutes * 60_000).toISOString(),
  }))

function referenceOf(channel: 'pin' | 'sinpe_movil', at: number): string {
  const first = `20300105151${channel === 'pin' ? '2201' : '8300'}00000${String(at).padStart(2, '0')}`
  const last = [...'0123456789'].find((digit) => sinpeCheckDigit(`${first}0${digit}`) < 10) ?? ''
  return `${first}0${last}${sinpeCheckDigit(`${first}0${last}`)}`
}

const flatFee = fc.integer({ min: 0, max: 1000 })
const fee = fc.oneof(
  flatFee,
  fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), flatFee, flatFee).map(([up_to, low, high]) => [
    { up_to, fee: low },
    { up_to: null, fee: high },
  ]),
)

/** Longer than any payment of the seed takes, so that none ends while the test reads the world. */
const day = 24 * 3_600_000

const settleTime = fc.oneof(
  fc.constant('manual' as const),
  fc.integer({ min: day, max: 2 * day }),
  fc.integer({ min: day, max: 2 * day }).map((from) => ({ from, to: 2 * from })),
)

const seeds: fc.Arbitrary<SeedFile> = fc
  .record({
    balances: fc.tuple(...accounts.map(() => fc.integer({ min: 0, max: 1_000_000_000 }))),
    statuses: fc.tuple(
      fc.constantFrom('active', 'closed', 'inactive'),
      fc.constantFrom('active', 'closed', 'inactive'),
    ),
    payments: fc.array(payment, { maxLength: 12 }),
    scheduled_credits: fc.array(scheduledCredit, { maxLength: 6 }).map((all) =>
      all.map(({ credit, referenced, ...rest }, at) => ({
        ...{ ...credit, ...rest },
        ...(referenced && { sinpe_reference: referenceOf(credit.channel, at) }),
      })),
    ),
    rails: fc.record({ pin: fc.constantFrom('online', 'offline'), sinpe_movil: fc.constantFrom('online', 'offline') }),
    fees: fc.record({ pin: fee, pin_usd: fee, sinpe_movil: fee, own_accounts: fc.constantFrom('same', 'free') }),
    settle_ms: fc.record({ pin: settleTime, sinpe_movil: settleTime }, { requiredKeys: [] }),
    rate_limit: fc.option(fc.integer({ min: 1000, max: 9000 })),
    suspended: fc.boolean(),
    frozen: fc.constant(true),
  })
  .map(({ balances, statuses, suspended, frozen, ...rest }) => ({
    ...{ users: [...pair.users], registry: [...pair.registry], tokens, ...rest },
    accounts: accounts.map((alias, at) => ({
      alias,
      user: at % 2 === 0 ? 'ana' : 'leo',
      balance: balances[at] ?? 0,
      ...(at > 1 && { status: statuses[at - 2] ?? 'active' }),
    })),
    clients: [
      { client_id: 'shop', client_secret: 'shop-secret', redirect_uris: ['https://shop.example/callback'] },
      { client_id: 'wallet', public: true, redirect_uris: ['com.example.wallet:/callback'] },
    ],
    subscriptions: [
      { url: 'https://shop.example/hook', events: ['payment.failed' as const], headers: { 'X-Key': 'k' }, secret: 's' },
      {
        user: 'leo',
        url: 'https://leo.example',
        events: ['payment.failed' as const],
        ...(suspended && { suspended_at: clock.time }),
      },
    ],
    clock: { ...clock, frozen },
  }))

describe('the seed of a world', () => {
  it('starts a world that is the same in all that it shows, and goes on the same', async () => {
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        await using emulator = await startEmulator({ settle: 'manual', seed })
        await roundTrip(emulator, ['ana-token', 'leo-token'])
      }),
      { numRuns: full ? 100 : 6 },
    )
  })

  it('is of any world, also of the demo after a while of use', async () => {
    const emulator = await startSeeded({ extends: 'demo', tokens: [{ token: 'kept' }] })
    const { control } = emulator
    await control.clock.freeze()
    const [account, dollars] = emulator.accounts()
    const pay = (body: object) =>
      fetch(`${emulator.baseUrl}/api/payments`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${emulator.token}`,
          'Content-Type': 'application/json',
          'X-Idempotency-Key': JSON.stringify(body).replaceAll(/[^\w]/g, ''),
        },
        body: JSON.stringify({ source_account_id: account?.id, amount: 1000, ...body }),
      })
    for (const phone of ['87000001', '87000006', '87000007', '87000011', '87000012', '88005678', '87000019']) {
      await pay({ recipient_phone: phone })
      await control.clock.advance({ ms: 250 })
    }
    await control.credits.create({ to: '88001234', amount: 77, from_phone: '87000001' })
    await control.credits.create({ to: dollars?.id ?? '', amount: 78 })
    await control.registry.remove({ address: '87000007' })
    await control.registry.add({ phone: '70001111', name: 'Nueva', document_number: '0109990888', outcome: 'slow' })
    await control.users.create({ name: 'Nuevo', phone: '60001111' })
    await control.accounts.set({ id: dollars?.id ?? '', status: 'inactive', balance: 5 })
    const [given, later] = [referenceOf('pin', 1), referenceOf('pin', 2)]
    await control.credits.create({ to: account?.id ?? '', amount: 79, sinpe_reference: given })
    await control.credits.schedule({ to: account?.id ?? '', amount: 80, after_ms: day, sinpe_reference: later })
    await control.rails.set({ pin: 'offline' })
    await roundTrip(emulator, ['kept'])
  })

  it('has payments to and from a phone that a later user has', async () => {
    const emulator = await startSeeded({ extends: 'demo', clock })
    const { control } = emulator
    const phone = '61234567'
    const eva = { name: 'Eva Mora', document_number: '0109990888' }
    await control.registry.add({ phone, ...eva })
    const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
    onTestFinished(() => client.close())
    await client.call('payments.create', {
      headers: { 'X-Idempotency-Key': 'order-7' },
      body: { source_account_id: emulator.accounts()[0]?.id ?? '', recipient_phone: phone, amount: 1000 },
    })
    await control.credits.create({ to: '88001234', amount: 700, from_phone: phone })
    await control.credits.schedule({ to: '88001234', amount: 900, from_phone: phone, after_ms: 1000 })
    await control.registry.remove({ address: phone })
    const { id: user } = await control.users.create({ phone, ...eva })
    const { token } = await control.tokens.mint({ user })
    const asEva = createClient({ baseUrl: emulator.baseUrl, token })
    onTestFinished(() => asEva.close())
    await asEva.call('accounts.create', { body: { currency: 'CRC' } })
    await roundTrip(emulator, [emulator.token])
  })

  it('has no secrets, and says what it leaves out', async () => {
    const emulator = await startSeeded({
      ...pair,
      clients: [{ client_id: 'shop', client_secret: 'shop-secret', redirect_uris: ['https://shop.example/callback'] }],
      tokens: [{ token: 'leo-token', user: 'leo' }],
    })
    const { control } = emulator
    await control.tokens.revoke({ id: String((await control.tokens.mint({})).id) })
    await control.faults.add({ endpoint: 'payments.create', status: 500 })
    const { seed, left_out } = await control.seed()
    expect(JSON.stringify(seed)).not.toMatch(/shop-secret|leo-token|payctl-demo/)
    expect(left_out).toEqual(['access tokens that were revoked, or issued to OAuth clients (1)', 'faults (1)'])
  })

  it('is a file that an emulator starts from', async () => {
    const emulator = await startSeeded({ ...pair, tokens })
    const file = fileWith(JSON.stringify((await emulator.control.seed()).seed), 'world.json')
    await using other = await startEmulator({ seedFile: file })
    expect((await seenBy(other, 'leo-token')).user.name).toBe('Leo Mora')
  })
})
