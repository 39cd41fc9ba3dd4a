import { expect as imported, jest } from '@jest/globals'
import { ApiError } from 'payctl'
import { ControlRefusal, startEmulator } from 'payctl/emulator'
import { matchers, worldForEach } from 'payctl/jest'
import pays from './pay.cjs'

const world = worldForEach()

test('a test has a world of its own', async () => {
  await pays.pay(world())
})

test('matchers are there for globals and for an imported expect', async () => {
  await pays.pay(world())
  await expect(world()).toHavePaid('87000001', 1000)
  imported.extend(matchers)
  await imported(world()).not.toHavePaid('87000001', 2000)
})

test('under fake timers everything works', async () => {
  jest.useFakeTimers()
  const emulator = await startEmulator({ settle: 'manual' })
  expect(await pays.check(emulator, { ApiError, ControlRefusal })).toBe(pays.seen)
  await emulator.close()
  jest.useRealTimers()
})
