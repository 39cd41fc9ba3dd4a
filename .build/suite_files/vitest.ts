/**
 * A world of the payctl emulator for each test. Made by: payctl emulator helper vitest
 *
 *     import { expect, test } from './payctl_test.ts'
 *
 *     test('an order is paid', async ({ world, account, pass }) => {
 *       const payment = await payOrder(world.baseUrl, world.token, account)
 *       await pass({ minutes: 1 })
 *       await world.until.payment(payment, 'completed')
 *       await expect(world).toHavePaid('87000001', 1000)
 *     })
 */
import { createTest } from 'payctl/vitest'

export { expect } from 'vitest'

const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

export const test = createTest({
  // Payments wait until the test moves the clock.
  settle: 'manual',
  // A request that breaks the contract fails the test that made it.
  strict: true,
})
  /** Id of the first account of the user. */
  .extend('account', ({ world }) => world.accounts()[0]?.id ?? '')
  /** Moves the clock: `pass({ minutes: 1 })`. Everything that is due by then happens before the promise resolves. */
  .extend('pass', ({ world }) => async (duration: Partial<Record<keyof typeof units, number>>): Promise<void> => {
    const ms = Object.entries(duration).reduce(
      (sum, [unit, count]) => sum + units[unit as keyof typeof units] * count,
      0,
    )
    await world.control.clock.advance({ ms })
  })
