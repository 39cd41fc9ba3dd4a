import { jest } from '@jest/globals'
import { ApiError } from 'payctl'
import { ControlRefusal, startEmulator } from 'payctl/emulator'
import { worldForEach } from 'payctl/jest'
import pays from './pay.cjs'

const world = worldForEach()

test('a test has a world of its own', async () => {
  await pays.pay(world())
})

test('under fake timers everything works', async () => {
  jest.useFakeTimers()
  const emulator = await startEmulator({ settle: 'manual' })
  expect(await pays.check(emulator, { ApiError, ControlRefusal })).toBe(pays.seen)
  await emulator.close()
  jest.useRealTimers()
})
