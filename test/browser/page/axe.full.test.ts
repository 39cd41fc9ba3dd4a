import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, expect, test } from 'vitest'
import { describeInBrowser } from '../chromium.ts'
import { closeBrowser, pay, startUntilEnd, visit } from './visit.ts'

afterAll(closeBrowser)

/** Addresses of the views that need no id. */
const views = [
  'payments',
  'requests',
  'webhooks',
  'accounts',
  'report',
  'what-if',
  'time',
  'faults',
  'people',
  'worlds',
  'search?q=María',
]

describeInBrowser('assistive technology', () => {
  test.each([
    ['light', 'en-GB', 1280],
    ['dark', 'en-GB', 1280],
    ['light', 'es-CR', 360],
    ['dark', 'es-CR', 360],
  ] as const)('can read every view: %s, %s, %i pixels', async (colorScheme, locale, width) => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const empty = await visit({ emulator, colorScheme, locale, viewport: { width, height: 800 } })
    const { page } = empty
    const findings: string[] = []
    const check = async (at: string) => {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
      await page.locator('main [data-heading]').last().waitFor()
      await page.waitForTimeout(300)
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      for (const { id, nodes } of violations) findings.push(`${at}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
    }
    await check('payments')
    const id = await pay(emulator)
    await fetch(`${emulator.baseUrl}/api/nothing`)
    for (const at of [...views, `payments/${id}`, 'requests/r1', 'requests/r2']) await check(at)
    expect(findings).toEqual([])
  })
})
