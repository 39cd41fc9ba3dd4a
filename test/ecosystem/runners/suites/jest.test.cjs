const { ApiError } = require('payctl')
const { ControlRefusal, startEmulator, suiteEmulator } = require('payctl/emulator')
const { worldForEach } = require('payctl/jest')
const { check, pay, seen } = require('./pay.cjs')

const world = worldForEach()

test.each([1, 2])('a test has a world of its own: %i', async () => {
  expect((await world().client.call('payments.history')).data).toEqual([])
  await pay(world())
})

test('the emulator is that of all workers', async () => {
  const emulator = await suiteEmulator()
  expect(emulator.controlUrl).toBe(process.env.PAYCTL_CONTROL_URL)
  expect(await check(emulator, { ApiError, ControlRefusal })).toBe(seen)
  await emulator.close()
})

test('an emulator in the process of the test works as well', async () => {
  const emulator = await startEmulator({ settle: 'manual' })
  expect(await check(emulator, { ApiError, ControlRefusal })).toBe(seen)
  await emulator.close()
})

test('matchers show what came, nearest first', async () => {
  await pay(world(), 'order-1')
  await expect(world()).toHaveReceived('payments.create', { times: 1, key: 'order-1', body: { amount: 1000 } })
  await expect(world()).toHavePaid('87000001', 1000)
  await expect(world()).not.toHaveDelivered('payment.failed')
  await expect(world()).toBeBalanced()
  const failure = expect(world()).toHaveReceived('payments.create', { body: { amount: 2000 } })
  await expect(failure).rejects.toThrow(/one came, but does not match.+-\s+"amount": 2000,\n\+\s+"amount": 1000,/s)
})

describe.each([
  ['modern', {}],
  ['of old', { legacyFakeTimers: true }],
])('under fake timers, %s', (_, options) => {
  afterEach(() => jest.useRealTimers())

  test('everything works', async () => {
    jest.useFakeTimers(options)
    const emulator = await startEmulator({ settle: 'manual' })
    expect(await check(emulator, { ApiError, ControlRefusal })).toBe(seen)
    await emulator.close()
    await pay(world())
  })
})
