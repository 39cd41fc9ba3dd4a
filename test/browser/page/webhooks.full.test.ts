import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { Emulator } from '../../../emulator/index.ts'
import { describeInBrowser } from '../chromium.ts'
import { overflow } from '../measures.ts'
import { closeBrowser, focused, pay, startUntilEnd, subscribe, visit } from './visit.ts'

afterAll(closeBrowser)

/** An emulator that signs deliveries, with the receiver `shop` subscribed to completed payments. */
async function withReceiver(): Promise<Emulator> {
  const emulator = await startUntilEnd({ settle: 'instant' })
  await emulator.control.deliverySettings.set({ signature_header: 'X-Signature' })
  const { url } = await emulator.control.receivers.set({ id: 'shop' })
  await subscribe(emulator, url)
  return emulator
}

async function answer(page: Page, label: string): Promise<void> {
  await page.getByLabel('Answer').selectOption({ label })
  await page.getByRole('button', { name: 'Set answer' }).click()
  await page.getByText('Answer set', { exact: true }).waitFor()
}

const firstDelivery = 'whd_000000000001'

describeInBrowser('webhooks', () => {
  test('the form of a receiver shows the answer that the receiver has after a reset', async () => {
    const emulator = await startUntilEnd()
    await emulator.control.receivers.set({ id: 'shop', status: 500 })
    const { page } = await visit({ emulator, at: '/webhooks/receivers/shop' })
    const field = page.getByLabel('Answer')
    await expect.poll(() => field.inputValue()).toBe('1')
    await emulator.control.reset()
    await expect.poll(() => field.inputValue()).toBe('0')
  })

  test('the form of a receiver keeps the focus and the next choice while its answer is set', async () => {
    const emulator = await startUntilEnd()
    const { url } = await emulator.control.receivers.set({ id: 'shop' })
    await subscribe(emulator, url)
    const { page } = await visit({ emulator, at: '/webhooks/receivers/shop' })
    const field = page.getByLabel('Answer')
    await field.selectOption({ label: '500' })
    const set = page.getByRole('button', { name: 'Set answer' })
    await set.focus()
    let answer = () => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/_emulator/receivers/shop', async (route) => {
      if (route.request().method() === 'GET') await answered
      await route.continue()
    })
    await page.keyboard.press('Enter')
    await page.getByText('Answer set', { exact: true }).waitFor()
    await field.selectOption('3')
    await set.focus()
    const read = page.waitForResponse(
      (response) => response.request().method() === 'GET' && /shop$/.test(response.url()),
    )
    answer()
    await read
    await expect.poll(() => focused(page)).toBe('Set answer')
    expect(await field.inputValue()).toBe('3')
  })

  test('a receiver made by the form gets an event, answers 500, and gets it again', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', clock: '2026-01-05T18:00:00Z' })
    await emulator.control.deliverySettings.set({ signature_header: 'X-Signature' })
    const { page, complaints } = await visit({ emulator, at: '/webhooks' })
    await page.getByText('No subscriptions yet').waitFor()
    await page.getByLabel('Events').selectOption('payment.completed')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByRole('link', { name: `${emulator.baseUrl}/_emulator/receivers/shop` }).waitFor()
    expect((await emulator.control.tokens.list()).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)

    await page.getByRole('link', { name: 'shop', exact: true }).click()
    await page.getByText('Nothing yet').waitFor()
    await answer(page, '500')
    await pay(emulator)
    await page.locator('.arrivals summary').click()
    await page.getByText('Valid signature').waitFor()
    await page.getByText('"event":"payment.completed"').waitFor()

    await page.getByRole('link', { name: 'Open the delivery' }).click()
    await expect.poll(() => page.url()).toContain(`#/webhooks/${firstDelivery}`)
    const attempts = page.locator('.attempts > li')
    await expect.poll(() => attempts.count()).toBe(1)
    await page.getByRole('button', { name: 'Move the clock to the next attempt' }).click()
    await expect.poll(() => attempts.count()).toBe(2)
    await attempts.last().locator('summary').click()
    await attempts.last().getByText('Answered 500').waitFor()
    await attempts.last().getByText('X-Webhook-Attempt: 2').waitFor()

    await emulator.control.receivers.set({ id: 'shop' })
    await page.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => attempts.count()).toBe(3)
    await page.locator('.detail').getByText('delivered').waitFor()
    expect(complaints).toEqual([])
  })

  test('a subscription is suspended, resumed and deleted as its user', async () => {
    const emulator = await withReceiver()
    const { page } = await visit({ emulator, at: '/webhooks' })
    await page.getByRole('link', { name: /receivers\/shop/ }).click()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await pay(emulator)
    const row = page.getByRole('row', { name: /payment\.completed/ }).last()
    await expect.poll(() => row.textContent()).toContain('Pending')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => row.textContent()).toContain('Delivered')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No subscriptions yet').waitFor()
    expect((await emulator.control.subscriptions.list()).total).toBe(0)
  })

  test('payments and the search lead to a delivery; new ones wait while it is open', async () => {
    const emulator = await withReceiver()
    const payment = await pay(emulator)
    const { page } = await visit({ emulator, at: `/payments/${payment}` })
    await page.locator('.timeline summary').filter({ hasText: 'payment.completed' }).click()
    await page.getByRole('link', { name: 'Open the delivery' }).click()
    await page.locator('[data-row^=whd]').waitFor()
    await pay(emulator)
    await page.getByRole('button', { name: 'Show 1 new' }).click()
    await expect.poll(() => page.locator('[data-row^=whd]').count()).toBe(2)
    const [{ id = '' } = {}] = (await emulator.control.subscriptions.list()).data
    for (const wanted of [firstDelivery, id]) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/search?q=${wanted}`)
      await expect.poll(() => page.url()).toContain(`#/webhooks/${wanted}`)
      await page.locator('.detail').waitFor()
    }
  })

  test('works with the keyboard alone', async () => {
    const emulator = await withReceiver()
    await pay(emulator)
    const { page } = await visit({ emulator, at: '/webhooks' })
    await page.locator('[data-row^=whd]').waitFor()
    for (let row = 0; row < 3; row++) await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Delivery 000001')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe(firstDelivery)
  })

  test.each([
    ['en-GB', 'light', 1280],
    ['en-GB', 'dark', 360],
    ['es-CR', 'light', 1280],
    ['es-CR', 'dark', 360],
  ] as const)('can be read by assistive technology and fits: %s, %s, %i pixels', async (locale, colorScheme, width) => {
    const emulator = await withReceiver()
    await emulator.control.receivers.set({ id: 'shop', status: 500 })
    await pay(emulator)
    const { page } = await visit({ emulator, locale, colorScheme, viewport: { width, height: 800 } })
    const [{ id = '' } = {}] = (await emulator.control.subscriptions.list()).data
    const findings: string[] = []
    for (const at of ['webhooks', `webhooks/${id}`, 'webhooks/receivers/shop', `webhooks/${firstDelivery}`]) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
      await page.locator('main [data-heading]').last().waitFor()
      await page.waitForTimeout(300)
      for (const summary of await page.locator('.detail summary').all()) await summary.click()
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      for (const { id, nodes } of violations) findings.push(`${at}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
      expect({ at, overflow: await overflow(page) }).toEqual({ at, overflow: 0 })
    }
    expect(findings).toEqual([])
  })
})
