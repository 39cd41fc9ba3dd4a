import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, afterEach, beforeEach, mock, test } from 'node:test'
import { ApiError } from 'payctl'
import { ControlRefusal, startEmulator, worldForEach } from 'payctl/emulator'
import { check, pay, seen } from './pay.cjs'

const world = worldForEach({ beforeEach, afterEach, afterAll: after }, { settle: 'manual' })

for (const number of [1, 2]) {
  test(`a test has a world of its own: ${number}`, async () => {
    await pay(world())
    await world().assert.paid('87000001', 1000)
    await assert.rejects(world().assert.paid('87000001', 2000), { name: 'AssertionError', message: /- amount: 2000/ })
  })
}

test('required and imported it is the same', () => {
  assert.equal(createRequire(import.meta.url)('payctl/emulator').startEmulator, startEmulator)
})

test('under fake timers everything works', async () => {
  mock.timers.enable()
  const emulator = await startEmulator({ settle: 'manual' })
  assert.equal(await check(emulator, { ApiError, ControlRefusal }), seen)
  await emulator.close()
  mock.timers.reset()
})
