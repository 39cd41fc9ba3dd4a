/**
 * A world of the payctl emulator for each test. Made by: payctl emulator helper node
 *
 *     import { test } from 'node:test'
 *     import { account, pass, worldForEach } from './payctl_world.mjs'
 *
 *     const world = worldForEach()
 *
 *     test('an order is paid', async () => {
 *       const payment = await payOrder(world().baseUrl, world().token, account(world()))
 *       await pass(world(), { minutes: 1 })
 *       await world().until.payment(payment, 'completed')
 *       await world().assert.paid('87000001', 1000)
 *     })
 */
import { after, afterEach, beforeEach } from 'node:test'
import { worldForEach as worldForEachOf } from 'payctl/emulator'

/**
 * Call it once in a file. Payments wait until the test moves the clock; a request that breaks the contract fails the
 * test that made it.
 */
export const worldForEach = (options = {}) =>
  worldForEachOf({ beforeEach, afterEach, afterAll: after }, { settle: 'manual', strict: true, ...options })

/** Id of the first account of the user. */
export const account = (world) => world.accounts()[0].id

const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/**
 * Moves the clock: `pass(world, { minutes: 1 })`. Everything that is due by then happens before the promise resolves.
 */
export async function pass(world, duration) {
  const ms = Object.entries(duration).reduce((sum, [unit, count]) => sum + units[unit] * count, 0)
  await world.control.clock.advance({ ms })
}
