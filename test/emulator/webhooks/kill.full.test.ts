import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demo } from '../../../emulator/worlds/seed.ts'
import { type EventBody, type EventName, eventNames, type Payment } from '../../../src/contract/index.ts'
import type { Api } from '../../conformance/api.ts'
import { ibanOf, phoneOf } from '../../conformance/fixture.ts'
import { exchangeOverHttp } from '../../conformance/http_exchange.ts'
import { controlOver } from '../../conformance/targets/control_over.ts'
import { type EmulateProcess, startEmulate } from '../../conformance/targets/payctl_emulate.ts'
import { type Received, type Receiver, receiver } from '../../support/receiver.ts'
import { allPayments, apiOn } from '../payments.ts'
import { randomNumbers } from '../random_numbers.ts'
import { newFolder } from '../store/folder.ts'

const rounds = 10
const customers = 6
const month = 30 * 24 * 3_600_000

/** With instant settlement all events of a payment are due at the same time: the hardest case for their order. */
const start = (file: string, round: number): Promise<EmulateProcess> =>
  startEmulate(['--data', file, '--settle', round % 2 === 0 ? '100ms' : 'instant', '--rate-limit', 'off'])

const apiOfProcess = ({ ready }: EmulateProcess): Api => apiOn({ baseUrl: ready.base_url, token: ready.token })

test('every event is delivered, in order for each payment, however often the emulator is killed', async () => {
  const roll = randomNumbers(20260106)
  await using target = await receiver((response) => response.writeHead(roll() < 0.03 ? 500 : 204).end())
  const file = join(newFolder(), 'world.db')
  const answered = new Set<string>()
  let savings = ''

  for (let round = 0; round < rounds; round++) {
    const emulator = await start(file, round)
    const api = apiOfProcess(emulator)
    if (round === 0) {
      savings = (await api.post('/api/accounts', { currency: 'CRC' })).body.data.iban
      const body = { url: target.url, events: eventNames, max_attempts: 10 }
      expect((await api.post('/api/webhooks/subscriptions', body)).status).toBe(201)
    }
    const recipients = recipientsWith(savings)
    let sent = 0
    const killed = blow({ emulator, target, after: 30 + Math.floor(roll() * 400) })
    const customer = async () => {
      for (;;) {
        const recipient = recipients[Math.floor(roll() * recipients.length)]
        const body = { source_account_id: demo.accounts[0].id, amount: 1 + Math.floor(roll() * 500), ...recipient }
        const answer = await api.pay(body, `round-${round}-${sent++}`).catch(() => null)
        if (answer === null) return
        expect(answer.status).toBe(201)
        answered.add(answer.body.data.id)
      }
    }
    await Promise.all([killed, ...Array.from({ length: customers }, customer)])
  }

  const emulator = await start(file, rounds)
  const api = apiOfProcess(emulator)
  const origin = new URL(emulator.ready.base_url)
  const control = controlOver((wire) => exchangeOverHttp(origin, wire))
  await control.advanceClock(month)

  const payments = await allPayments(api)
  const ids = new Set(payments.map(({ id }) => id))
  const lost = [...answered].filter((id) => !ids.has(id))
  expect(lost).toEqual([])
  const told = firstArrivals(target.received)
  expect([...told.keys()].toSorted()).toEqual([...ids].toSorted())
  for (const payment of payments) expect(told.get(payment.id)).toEqual(eventsOf(payment))
  expect(answered.size).toBeGreaterThan(rounds * 20)

  const texts = new Map<unknown, Set<string>>()
  for (const { headers, text } of target.received) {
    const id = headers['x-webhook-id']
    texts.set(id, (texts.get(id) ?? new Set()).add(text))
  }
  expect([...texts.values()].filter(({ size }) => size > 1)).toEqual([])
  expect(texts.size).toBe([...told.values()].flat().length)

  const [subscription] = (await api.get('/api/webhooks/subscriptions')).body.data.data
  expect(subscription).toMatchObject({ active: true, suspended_reason: null })
  expect((await control.ledger()).problems).toEqual([])
  await emulator.stop()
}, 90_000)

/**
 * Kills the emulator after this many more deliveries have arrived: some are then under way, and some not written yet.
 */
async function blow({ emulator, target, after }: Blow): Promise<void> {
  await target.until(target.received.length + after)
  await emulator.kill()
}

interface Blow {
  readonly emulator: EmulateProcess
  readonly target: Receiver
  readonly after: number
}

const recipientsWith = (savings: string) => [
  { recipient_iban: savings },
  { recipient_iban: ibanOf('Carlos Jiménez Mora') },
  { recipient_phone: phoneOf('Ana Lucía Vargas Solano') },
  { recipient_iban: ibanOf('Rechazo Siempre') },
  { recipient_phone: phoneOf('Cuenta Cerrada') },
]

/** Names of each payment's events, in the order in which they first arrived. */
function firstArrivals(received: readonly Received[]): Map<string, EventName[]> {
  const told = new Map<string, EventName[]>()
  for (const { body } of received) {
    const { event, data }: EventBody = body
    const names = told.get(data.id) ?? []
    if (!names.includes(event)) names.push(event)
    told.set(data.id, names)
  }
  return told
}

function eventsOf({ transfer_type, status }: Payment): EventName[] {
  if (transfer_type === 'credit') return ['transaction.received']
  return ['payment.created', 'payment.processing', status === 'completed' ? 'payment.completed' : 'payment.failed']
}
