/**
 * A world of the payctl emulator for each test. Made by: payctl emulator helper playwright
 *
 *     import { expect, test } from './payctl_test.js'
 *
 *     test('an order is paid', async ({ page, world, pass }) => {
 *       await page.goto(`http://127.0.0.1:3000/?bank=${encodeURIComponent(world.baseUrl)}`)
 *       await page.getByRole('button', { name: 'Pay' }).click()
 *       await world.until.requests('payments.create', 1)
 *       await pass({ minutes: 1 })
 *       await expect(page.getByText('Paid')).toBeVisible()
 *       await world.assert.paid('87000001', 1000)
 *     })
 *
 * Each worker starts an emulator. With `payctl emulate --settle manual -- npx playwright test` all workers use the
 * emulator of that command.
 */
import { test as base } from '@playwright/test'
import { type ConnectedEmulator, type EmulatorWorld, suiteEmulator } from 'payctl/emulator'

export { expect } from '@playwright/test'

const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

interface Fixtures {
  /** A world for this test alone: `baseUrl`, `token`, `client`, `control`, `until`, `assert`. */
  world: EmulatorWorld
  /**
   * Moves the clock of the world: `pass({ minutes: 1 })`. Everything that is due by then happens before the promise
   * resolves.
   */
  pass: (duration: Partial<Record<keyof typeof units, number>>) => Promise<void>
}

export const test = base.extend<Fixtures, { emulator: ConnectedEmulator }>({
  emulator: [
    async ({}, use) => {
      // Payments wait until the test moves the clock.
      const emulator = await suiteEmulator({ settle: 'manual' })
      await use(emulator)
      await emulator.close()
    },
    { scope: 'worker' },
  ],
  world: async ({ emulator }, use) => {
    // A request that breaks the contract fails the test that made it.
    const world = await emulator.world({ ttl: 3_600_000, strict: true })
    await use(world)
    await world.close()
  },
  pass: async ({ world }, use) => {
    await use(async (duration) => {
      const ms = Object.entries(duration).reduce(
        (sum, [unit, count]) => sum + units[unit as keyof typeof units] * count,
        0,
      )
      await world.control.clock.advance({ ms })
    })
  },
})
