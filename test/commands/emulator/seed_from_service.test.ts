import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createClient } from '../../../src/client/create_client.ts'
import { buildIban, ibanFault } from '../../../src/contract/iban.ts'
import type { SeedFile } from '../../../src/contract/index.ts'
import { type ConnectedEmulator, type EmulatorWorld, startEmulator } from '../../../src/testing/index.ts'
import { documentOf } from '../../../src/values/document.ts'
import { full } from '../../support/full.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

let emulator: ConnectedEmulator

beforeAll(async () => {
  emulator = await startEmulator({ settle: 'manual', rateLimit: null })
})

afterAll(() => emulator.close())

const given = ['Ana', 'LEO', 'María José', 'José', 'Li', 'Ñusta', 'O’Hara', 'Jean-Luc', 'Zoë', '王小明']
const family = ['Mora', 'Rodríguez de la O', 'Fernández', 'DEL VALLE', 'Ulloa-Núñez', 'Wu']
const companies = [
  'Ferretería El Roble S.A.',
  'Bufete Mora y Asociados Ltda.',
  'PANADERIA LA ESPIGA SRL',
  'Taller 24/7',
]
const person = fc.tuple(fc.constantFrom(...given), fc.constantFrom(...family)).map((words) => words.join(' '))
const name = fc.oneof({ weight: 3, arbitrary: person }, fc.constantFrom(...companies))

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
const document = fc.oneof(
  fc.tuple(fc.constantFrom('01', '07', '3101', '1', '2100', '4000', '5'), digits(12)).map(([start, rest]) => {
    const length = start === '1' || start === '5' ? 12 : 10
    return `${start}${rest}`.slice(0, length)
  }),
  digits(8).map((rest) => `7${rest}`),
  fc.constantFrom('AB123456', 'x9y8z7w6', 'P0001234'),
)
const phone = fc.tuple(fc.constantFrom('2', '6', '7', '8'), digits(7)).map((parts) => parts.join(''))
const iban = fc.tuple(fc.constantFrom('015', '102', '151', '152'), digits(14)).map(([bank, account]) => ({
  iban: buildIban(bank.replace('015', '016'), account),
}))
const holder = fc.record({ name, document_number: document })
const customer = fc
  .record({
    at: fc.oneof(
      iban,
      phone.map((number) => ({ phone: number })),
    ),
    who: holder,
  })
  .map(({ at, who }): Customer => ({ ...at, ...who }))

interface Customer {
  readonly iban?: string
  readonly phone?: string
  readonly name: string
  readonly document_number: string
}

const text = fc.constantFrom(
  'Pago de Ana Mora al 8888-1234, cédula 1-0999-0888',
  'Factura 001-23456 de https://shop.example/ana?id=77',
  'gracias por todo 🙏🏽 María',
  '!!!',
  'alquiler enero',
  'ALQUILER ENERO',
)

const time = fc
  .integer({ min: 0, max: 10_000_000 })
  .map((seconds) => new Date(Date.UTC(2026, 0, 5) + seconds * 1000).toISOString())
const statuses = [
  'completed',
  'completed',
  'completed',
  'pending',
  'processing',
  'failed',
  'timeout',
  'system_error',
  'validation_failed',
  'service_unavailable',
] as const

const payment = fc.record(
  {
    kind: fc.constantFrom('out', 'out', 'out', 'in', 'in', 'own', 'phone in', 'other user'),
    to: fc.nat({ max: 99 }),
    amount: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1000, max: 400_000_000 })),
    status: fc.constantFrom(...statuses),
    description: fc.option(text, { nil: undefined }),
    fee: fc.option(fc.constantFrom(0, 5, 150, 333), { nil: undefined }),
    error: fc.option(fc.constantFrom('Rechazado: Ana Mora, 8888-1234'), { nil: undefined }),
    created_at: time,
  },
  { requiredKeys: ['kind', 'to', 'amount', 'status', 'created_at'] },
)

/** Data of a service that the command may read. Accounts 1 to 3 belong to the user, in CRC, CRC and USD. */
const service = fc
  .record({
    owner: holder,
    ownPhone: phone,
    other: holder,
    customers: fc.uniqueArray(customer, {
      minLength: 2,
      maxLength: 8,
      selector: ({ iban, phone }) => iban ?? phone,
    }),
    payments: fc.array(payment, { maxLength: 25 }),
    balances: fc.tuple(fc.nat({ max: 900_000_000 }), fc.nat({ max: 9 }), fc.nat({ max: 5_000_000 })),
    hooks: fc.uniqueArray(
      fc.constantFrom('https://ana.example/hook', 'http://10.0.0.7:8080/pagos?token=s3cret', 'https://shop.example/'),
      { maxLength: 3 },
    ),
  })
  .map((parts): SeedFile => {
    const { customers, ownPhone, owner } = parts
    const registry = customers.filter((one) => one.phone !== ownPhone)
    return {
      users: [
        { alias: 'me', phone: ownPhone, ...owner, email: 'ana.mora@shop.example' },
        { alias: 'other', ...parts.other },
      ],
      accounts: [
        { alias: 'a1', user: 'me', balance: parts.balances[0], created_at: '2026-01-01T00:00:00Z' },
        { alias: 'a2', user: 'me', balance: parts.balances[1], created_at: '2026-01-02T00:00:00Z' },
        { alias: 'a3', user: 'me', currency: 'USD', balance: parts.balances[2], created_at: '2026-01-03T00:00:00Z' },
        { alias: 'a4', user: 'other' },
      ],
      registry,
      subscriptions: parts.hooks.map((url) => ({
        user: 'me',
        url,
        events: ['payment.completed' as const],
        headers: { 'X-Key': 'secret-of-ana' },
      })),
      payments: parts.payments.map((given, at) => paymentSeed(given, registry[given.to % registry.length], at)),
      fees: { pin: 150 },
      clock: { time: '2026-06-01T12:00:00Z', frozen: true },
    }
  })

type Given = typeof payment extends fc.Arbitrary<infer One> ? One : never
type SeedPayment = NonNullable<SeedFile['payments']>[number]

function paymentSeed(
  { kind, status, description, fee, error, amount, created_at }: Given,
  to: Partial<Record<'iban' | 'phone' | 'name' | 'document_number', string>> | undefined,
  at: number,
): SeedPayment {
  const common = { amount, created_at, ...(description && { description }) }
  const who = { name: to?.name ?? 'Eva Solís', document_number: to?.document_number ?? '0109990888' }
  if (kind === 'in')
    return { ...common, account: 'a2', transfer_type: 'credit', ...who, ...(to?.iban && { from: to.iban }) }
  if (kind === 'phone in') return { ...common, account: 'a1', transfer_type: 'credit', channel: 'sinpe_movil', ...who }
  const isUnderWay = status === 'pending' || status === 'processing'
  const address = kind === 'own' ? 'a2' : kind === 'other user' ? 'a4' : (to?.iban ?? to?.phone ?? 'a2')
  return {
    ...common,
    account: 'a1',
    to: address,
    status,
    ...(fee !== undefined && { fee }),
    ...(status === 'failed' && error && { error }),
    ...(isUnderWay && { due_at: '2026-06-01T13:00:00Z' }),
    idempotency_key: `order-${at}-of-ana`,
  }
}

const clientOf = ({ baseUrl, token }: EmulatorWorld) => createClient({ baseUrl, token, retries: 0 })

/** All data of the service about the user. */
async function contentOf(world: EmulatorWorld) {
  const client = clientOf(world)
  const all = async <Item>(items: AsyncIterable<Item>) => {
    const found: Item[] = []
    for await (const item of items) found.push(item)
    return found
  }
  const content = {
    user: await client.call('user.get'),
    accounts: await all(client.items('accounts.list')),
    payments: await all(client.items('payments.history')),
    hooks: await all(client.items('webhooks.list')),
    rates: await client.call('fx.rates'),
  }
  await client.close()
  return content
}

type Content = Awaited<ReturnType<typeof contentOf>>

/** Runs the command against a world of the emulator. */
async function seedFrom(world: EmulatorWorld, ...flags: string[]) {
  const env = { PAYCTL_BASE_URL: world.baseUrl, PAYCTL_TOKEN: world.token }
  const { code, stdout, stderr } = await runPayctl(['emulator', 'seed', 'from-service', ...flags], { env })
  expect(code, stderr).toBe(0)
  return { text: stdout, seed: parse(stdout) as SeedFile, stderr }
}

const scaled = (value: number | null | undefined, scale: number): number | null =>
  value === null || value === undefined ? null : value === 0 ? 0 : Math.max(1, Math.round(value * scale))

/** The values that a masked world must share with its original. */
const shapeOf = ({ accounts, payments, hooks, rates }: Content, scale: number) => ({
  accounts: accounts.map(({ balance, status, created_at }) => [
    balance.currency,
    scaled(balance.value, scale),
    status,
    created_at,
  ]),
  payments: payments.map(
    ({ transfer_type, status, channel, amount, fee, created_at, submitted_at, completed_at, payer, payee }) => ({
      ...{ transfer_type, status, channel, created_at, submitted_at, completed_at },
      amount: [amount.currency, scaled(amount.value, scale)],
      fee: scaled(fee?.value, scale),
      documents: [payer.document_type, payee.document_type],
      lengths: [payer.name, payee.name].map((one) => [...(one ?? '')].length),
      bank: [payee.iban, payer.iban].map((one) => one?.slice(5, 8).replace('999', '151')),
    }),
  ),
  hooks: hooks.map(({ events, active }) => ({ events, active })),
  rates: [rates.bid, rates.ask],
})

/** Position of the first appearance of each value: two lists with the same repetitions have equal patterns. */
const patternOf = (values: readonly unknown[]): number[] => values.map((value) => values.indexOf(value))

const identities = ({ payments }: Content) => {
  const parties = payments.flatMap(({ payer, payee }) => [payer, payee])
  return {
    names: patternOf(parties.map(({ name }) => name)),
    documents: patternOf(parties.map(({ document_number }) => document_number)),
    addresses: patternOf(payments.map(({ payee }) => payee.iban ?? payee.phone_number)),
  }
}

/** Strings in an answer, except words of the interface. */
function stringsIn(node: unknown, name = ''): string[] {
  const isWord = /^(status|channel|transfer_type|currency|formatted|events|.*_at|last_updated_utc|document_type)$/.test(
    name,
  )
  if (typeof node === 'string') return isWord ? [] : [node]
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => stringsIn(value, Array.isArray(node) ? name : key))
}

const wordsOf = (text: string): string[] =>
  (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{L}{3,}/gu) ?? []
  ).filter((word) => !['del', 'las', 'los', 'ltda', 'srl', 'https', 'webhook', 'invalid'].includes(word))

/** Values of the original, and words of its names and texts, that the file still contains. */
function leftIn(text: string, original: Content): string[] {
  const values = stringsIn(original).filter((value) => value.length >= 6 && !/^Incoming |^Manual /.test(value))
  const words = new Set(stringsIn(parse(text)).flatMap(wordsOf))
  const people = original.payments.flatMap(({ payer, payee, description }) => [payer.name, payee.name, description])
  const parts = [original.user.name, ...original.accounts.map(({ owner_name }) => owner_name), ...people].flatMap(
    (one) => wordsOf(one ?? ''),
  )
  return [...values.filter((value) => text.includes(value)), ...parts.filter((part) => words.has(part))]
}

describe('payctl emulator seed from-service', () => {
  it('writes a world with the same balances and history, and nothing else of the service', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(service, fc.constantFrom(1, 0.1, 0.37), async (content, scale) => {
        await using original = await emulator.world({ from: { seed: content } })
        const seen = await contentOf(original)
        const { text, seed } = await seedFrom(original, ...(scale === 1 ? [] : ['--scale', String(scale)]))
        expect(leftIn(text, seen)).toEqual([])
        await using copy = await emulator.world({ from: { seed } })
        const made = await contentOf(copy)
        expect(shapeOf(made, 1)).toEqual(shapeOf(seen, scale))
        expect(identities(made)).toEqual(identities(seen))
        const { accounts = [], registry = [], users = [], payments = [] } = seed
        for (const { iban } of [...accounts, ...registry]) expect(iban ? ibanFault(iban) : null).toBeNull()
        for (const { document_number } of [...users, ...registry, ...payments]) {
          expect(document_number === undefined || documentOf(document_number)).toBeTruthy()
        }
      }),
      { numRuns: full ? 300 : 15 },
    )
  })

  it('sends nothing but GET requests, once each, and not one that is refused', async () => {
    await using world = await emulator.world({ from: { seed: example } })
    await seedFrom(world)
    const { data } = await world.control.requests.list({ since: 0, per_page: 100 })
    expect(new Set(data.map(({ method }) => method))).toEqual(new Set(['GET']))
    expect(data.map(({ endpoint }) => endpoint)).toEqual([
      'user.get',
      'accounts.list',
      'payments.history',
      'webhooks.list',
      'fx.rates',
      'fx.upstream',
      'iban.information',
      'phone.information',
    ])
    expect(data.filter(({ status }) => status !== 200)).toEqual([])
    await seedFrom(world, '--no-lookups')
    const later = (await world.control.requests.list({ since: 8, per_page: 100 })).data
    expect(later.map(({ endpoint }) => endpoint).filter((id) => id?.endsWith('information'))).toEqual([])
  })

  it('keeps the status of payees, and makes the same replacements with the same key only', async () => {
    const key = join(await temporaryDirectory(), 'replacements.key')
    await using world = await emulator.world({ from: { seed: example } })
    const [first, again, other] = [
      await seedFrom(world, '--key-file', key),
      await seedFrom(world, '--key-file', key),
      await seedFrom(world),
    ]
    const { clock: _, ...content } = first.seed
    expect(again.seed).toMatchObject(content)
    expect(other.seed.users?.[0]?.name).not.toBe(first.seed.users?.[0]?.name)
    expect(first.seed.registry?.find(({ iban }) => iban)).toMatchObject({
      outcome: 'failed',
      state_code: 'account_closed',
    })
    expect(first.seed.fees).toEqual({ sinpe_movil: 0 })
  })

  it('says what it leaves out, and goes on without it', async () => {
    await using world = await emulator.world({ from: { seed: example } })
    const { token } = await world.control.tokens.mint({
      user: world.user.id,
      scopes: ['read-user', 'read-accounts', 'send-payments'],
    })
    await world.control.fx.set({ offline: true })
    const { text, seed } = await seedFrom({ ...world, baseUrl: world.baseUrl, token } as EmulatorWorld)
    expect(text).toContain('# Left out: webhook subscriptions: the token lacks the scope manage-webhooks.')
    expect(text).toContain('# Left out: exchange rates: the service has none now.')
    expect(seed).toMatchObject({ subscriptions: [], payments: [{}, {}] })
  })

  it('writes a private file, and replaces none', async () => {
    await using world = await emulator.world({ from: { seed: example } })
    const file = join(await temporaryDirectory(), 'seed.yaml')
    expect((await seedFrom(world, file)).stderr).toContain('3 accounts and 2 payments written.')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const env = { PAYCTL_BASE_URL: world.baseUrl, PAYCTL_TOKEN: world.token }
    const before = readFileSync(file, 'utf8')
    expect(await runPayctl(['emulator', 'seed', 'from-service', file], { env })).toMatchObject({ code: 2 })
    expect(readFileSync(file, 'utf8')).toBe(before)
    for (const scale of ['0', '1.5', '-1', '0.1234567', 'x']) {
      expect(await runPayctl(['emulator', 'seed', 'from-service', '--scale', scale], { env })).toMatchObject({
        code: 2,
      })
    }
  })
})

const example: SeedFile = {
  users: [{ alias: 'me', name: 'Ana Mora', phone: '88001122', document_number: '0109990888' }],
  accounts: [{ balance: 500_000 }, { balance: 100 }, { currency: 'USD', balance: 7 }],
  registry: [
    { phone: '87654321', name: 'Leo Mora', document_number: '0203330444' },
    {
      iban: buildIban('102', '77'),
      name: 'Taller S.A.',
      document_number: '3101234567',
      outcome: 'failed',
      state_code: 'account_closed',
    },
  ],
  subscriptions: [{ url: 'https://ana.example/hook', events: ['payment.failed'] }],
  payments: [
    { to: '87654321', amount: 2000, created_at: '2026-01-05T00:00:00Z' },
    {
      to: buildIban('102', '77'),
      amount: 1000,
      fee: 150,
      status: 'failed',
      state_code: 'account_closed',
      created_at: '2026-01-06T00:00:00Z',
    },
  ],
}
