import { ApiError } from 'payctl'
import { type EmulatorWorld, type EventBody, startEmulator } from 'payctl/emulator'
import { worldForEach } from 'payctl/jest'

const world = worldForEach({ from: { seed: 'demo' } })

const pay = ({ client, accounts }: EmulatorWorld, amount: number) =>
  client.call('payments.create', {
    headers: { 'X-Idempotency-Key': 'order-1' },
    body: { source_account_id: accounts()[0].id, recipient_phone: '87000001', amount },
  })

test('a payment is typed from its start to its end', async () => {
  const { id, status } = await pay(world(), 1000)
  const first: EventBody<'payment.created'>['data']['status'] = status
  expect(first).toBe('pending')
  await world().control.clock.advance({ ms: 60_000 })
  const { status: last } = await world().until.payment(id, 'completed')
  expect(last).toBe('completed')
})

test('errors are of the classes of the package', async () => {
  const emulator = await startEmulator({ settle: 'manual' })
  const refusal: unknown = await pay(await emulator.world(), 0).catch((error: unknown) => error)
  expect(refusal instanceof ApiError && refusal.status).toBe(422)
  await emulator.close()
})

test('matchers are typed', async () => {
  await pay(world(), 1000)
  await expect(world()).toHaveReceived('payments.create', { times: 1, key: 'order-1' })
  await expect(world()).not.toHavePaid('87000001', 500)
})

test('what is wrong does not compile', () => {
  const wrong = [
    // @ts-expect-error
    () => expect(world()).toHaveReceived('payments.make'),
    // @ts-expect-error
    () => expect(world()).toHavePaid('87000001', '10.00'),
    // @ts-expect-error
    () => world().until.payment('id', 'done'),
    // @ts-expect-error
    () => startEmulator({ settle: 'soon' }),
  ]
  expect(wrong).toHaveLength(4)
})
