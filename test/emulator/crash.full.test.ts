import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demo } from '../../emulator/worlds/seed.ts'
import type { InitiatedPayment } from '../../src/contract/index.ts'
import type { Api } from '../conformance/api.ts'
import { exchangeOverHttp } from '../conformance/http_exchange.ts'
import { controlOver } from '../conformance/targets/control_over.ts'
import { type EmulateProcess, startEmulate } from '../conformance/targets/payctl_emulate.ts'
import { demoRegistry } from './demo_registry.ts'
import { allPayments, apiOn } from './payments.ts'
import { randomNumbers } from './random_numbers.ts'
import { newFolder } from './store/folder.ts'

const rounds = 12
const customers = 8

const [colones, dollars] = demo.accounts

interface Order {
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
}

interface Sent {
  readonly orders: Order[]
  readonly answered: Map<string, InitiatedPayment>
}

const ends = demoRegistry.filter(({ outcome }) => outcome !== 'processing')

function newOrder(roll: () => number, key: string, savings: string): Order {
  const { address, currency } = ends[Math.floor(roll() * ends.length)] ?? { address: '', currency: 'CRC' }
  const internal = roll() < 0.3
  const iban = internal ? savings : address
  const recipient = iban.startsWith('CR') ? { recipient_iban: iban } : { recipient_phone: iban }
  const source_account_id = !internal && currency === 'USD' ? dollars.id : colones.id
  return { key, body: { source_account_id, amount: 1 + Math.floor(roll() * 500), ...recipient } }
}

/** Sends payments until the connection is gone. */
async function keepPaying(api: Api, sent: Sent, next: () => Order): Promise<void> {
  for (;;) {
    const order = next()
    sent.orders.push(order)
    const answer = await api.pay(order.body, order.key).catch(() => null)
    if (answer === null) return
    expect(answer.status).toBe(201)
    sent.answered.set(order.key, answer.body.data)
  }
}

const start = (file: string): Promise<EmulateProcess> =>
  startEmulate(['--data', file, '--settle', '150ms', '--rate-limit', '1000000'])

const apiOfProcess = ({ ready }: EmulateProcess): Api => apiOn({ baseUrl: ready.base_url, token: ready.token })

test('every answered payment exists once and reaches its end, however often the emulator is killed', async () => {
  const file = join(newFolder(), 'world.db')
  const roll = randomNumbers(20260105)
  const sent: Sent = { orders: [], answered: new Map() }
  let savings: string | undefined

  for (let round = 0; round < rounds; round++) {
    const emulator = await start(file)
    const api = apiOfProcess(emulator)
    savings ??= (await api.post('/api/accounts', { currency: 'CRC' })).body.data.iban as string
    const iban = savings
    const enough = sent.answered.size + 20 + Math.floor(roll() * 300)
    let killed: Promise<void> | undefined
    const next = () => {
      if (sent.answered.size >= enough) killed ??= emulator.kill()
      return newOrder(roll, `round-${round}-${sent.orders.length}`, iban)
    }
    await Promise.all(Array.from({ length: customers }, () => keepPaying(api, sent, next)))
    await killed
  }

  const emulator = await start(file)
  const api = apiOfProcess(emulator)
  const origin = new URL(emulator.ready.base_url)
  const control = controlOver((wire) => exchangeOverHttp(origin, wire))
  await control.advanceClock(600_000)

  const payments = await allPayments(api)
  const debits = payments.filter(({ transfer_type }) => transfer_type === 'debit')
  const credits = payments.filter(({ transfer_type }) => transfer_type === 'credit')
  const byKey = new Map(debits.map((payment) => [payment.idempotency_key, payment]))
  expect(sent.answered.size).toBeGreaterThan(rounds * 20)

  expect(new Set(payments.map(({ id }) => id)).size).toBe(payments.length)
  expect(byKey.size).toBe(debits.length)
  expect(new Set(debits.map(({ channel_reference }) => channel_reference)).size).toBe(debits.length)
  for (const [key, { id }] of sent.answered) expect(byKey.get(key)?.id).toBe(id)
  expect(debits.filter(({ status }) => status === 'pending' || status === 'processing')).toEqual([])

  for (const [key, original] of sampleOf(sent.answered, 200)) {
    const { headers, body } = await api.pay({ ...sent.orders[0]?.body }, key)
    expect(headers['idempotent-replayed']).toBe('true')
    expect(body.data).toEqual(original)
  }

  const internal = debits.filter(({ payee, status }) => payee.iban === savings && status === 'completed')
  expect(credits.length).toBe(internal.length)
  const accounts = (await api.get('/api/accounts')).body.data.data
  const received = internal.reduce((sum, { amount }) => sum + amount.value, 0)
  expect(accounts.find(({ iban }: { iban: string }) => iban === savings).balance.value).toBe(received)
  for (const { id, currency, balance } of demo.accounts) {
    const spent = debits
      .filter(({ status, amount }) => status === 'completed' && amount.currency === currency)
      // One payee of the demo has payments whose fee is charged but not shown.
      .reduce((sum, { amount, fee, channel }) => sum + amount.value + (fee?.value ?? (channel === 'pin' ? 100 : 0)), 0)
    expect(accounts.find((account: { id: string }) => account.id === id).balance.value).toBe(balance - spent)
  }
  expect((await control.ledger()).problems).toEqual([])
  await emulator.stop()
}, 60_000)

/** At least `many` entries, and fewer than twice as many, spread over the whole map; all entries of a smaller map. */
function sampleOf<K, V>(entries: ReadonlyMap<K, V>, many: number): [K, V][] {
  const step = Math.max(1, Math.floor(entries.size / many))
  return [...entries].filter((_, at) => at % step === 0)
}
