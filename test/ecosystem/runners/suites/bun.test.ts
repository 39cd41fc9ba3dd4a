import { afterAll, afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { createRequire } from 'node:module'
import { ApiError } from 'payctl'
import {
  ControlRefusal,
  matchers,
  startEmulator,
  suiteEmulator,
  type WorldMatchers,
  worldForEach,
} from 'payctl/emulator'
import { check, pay, seen } from './pay.cjs'

const world = worldForEach({ beforeEach, afterEach, afterAll }, { settle: 'manual' })

test.each([1, 2])('a test has a world of its own: %i', async () => {
  await pay(world())
})

test('matchers show what came', async () => {
  expect.extend(matchers as never)
  const expectWorld = () => expect(world()) as unknown as WorldMatchers
  await pay(world())
  await expectWorld().toHavePaid('87000001', 1000)
  // In Bun the assertion throws at once instead of returning a rejected promise.
  const paid = async () => expectWorld().toHavePaid('87000001', 2000)
  expect(await paid().catch((error: Error) => error.message)).toContain('- amount: 2000\n+ amount: 1000')
})

test('required and imported it is the same', () => {
  expect(createRequire(import.meta.url)('payctl/emulator').startEmulator).toBe(startEmulator)
})

test('the emulator of the suite', async () => {
  const emulator = await suiteEmulator({ settle: 'manual' })
  expect(await check(emulator, { ApiError, ControlRefusal })).toBe(seen)
  await emulator.close()
})

test('under fake timers everything works', async () => {
  jest.useFakeTimers()
  const emulator = await startEmulator({ settle: 'manual' })
  expect(await check(emulator, { ApiError, ControlRefusal })).toBe(seen)
  await emulator.close()
  jest.useRealTimers()
})
