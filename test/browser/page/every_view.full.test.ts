import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { newFolder } from '../../emulator/store/folder.ts'
import { freePort } from '../../support/free_port.ts'
import { describeInBrowser } from '../chromium.ts'
import { cutOff, overflow } from '../measures.ts'
import { closeBrowser, isLive, pay, startUntilEnd, subscribe, theBrowser, visit } from './visit.ts'

afterAll(closeBrowser)

/** All views, with a text that each view shows in an empty world. */
const views = [
  ['payments', 'No payments yet'],
  ['requests', 'No requests yet'],
  ['webhooks', 'No subscriptions yet'],
  ['accounts', 'No accounts yet'],
  ['report', 'No order is paid twice'],
  ['what-if', 'No requests yet'],
  ['time', 'Let it run'],
  ['faults', 'No rules yet'],
  ['people', 'Name of a new user'],
  ['worlds', 'No snapshots yet'],
  ['search?q=nothing', 'Nothing has this id'],
] as const

/** Opens a tab for each view of a world, in one browser. */
async function openAll(base: string): Promise<readonly { readonly view: string; readonly page: Page }[]> {
  const context = await (await theBrowser()).newContext({ locale: 'en-GB' })
  const tabs = []
  for (const [view] of views) {
    const page = await context.newPage()
    await page.goto(`${base}/_emulator/#/${view}`)
    await isLive(page)
    await page.locator('main h1').waitFor()
    tabs.push({ view, page })
  }
  return tabs
}

describeInBrowser('every view', () => {
  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('says what to do in an empty world: %s, %i pixels', async (colorScheme, width) => {
    const emulator = await startUntilEnd({ seed: 'empty', clock: '2026-01-05T18:00:00Z' })
    const { page, complaints } = await visit({ emulator, colorScheme, viewport: { width, height: 800 } })
    for (const [view, words] of views) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
      await page.getByText(words).first().waitFor()
      expect({ view, overflow: await overflow(page), cutOff: await cutOff(page) }).toEqual({
        view,
        overflow: 0,
        cutOff: [],
      })
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      expect({ view, violations: violations.map(({ id }) => id) }).toEqual({ view, violations: [] })
    }
    expect(complaints).toEqual([])
  })

  test.each([
    ['what-if/r1', 'moments?request=r1', '.what-if-form'],
    ['webhooks', 'users', '.webhooks form'],
    ['webhooks', 'receivers', '.webhooks .plain-list'],
    ['accounts', 'users', '.accounts form'],
    ['accounts', 'ledger', '.accounts .heading [role=status]'],
    ['payments', 'registry', '.payments form'],
  ])('%s: says that %s was not read, and reads it again', async (view, endpoint, content) => {
    const emulator = await startUntilEnd({ moments: 16, settle: 'instant' })
    if (view !== 'payments') await pay(emulator)
    await emulator.control.receivers.set({ id: 'shop' })
    const { page } = await visit({ emulator, at: '/time' })
    const url = `${emulator.baseUrl}/_emulator/${endpoint}`
    await page.route(url, (route) => route.abort())
    await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
    await page.getByRole('alert').getByText('does not answer').waitFor()
    expect(await page.locator(content).count()).toBe(0)
    await page.unroute(url)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator(content).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('shows a lost connection, a new emulator and a reset, and reads its data again', async () => {
    const port = await freePort()
    const options = { port, rateLimit: 'off', settle: 'instant', clock: '2026-01-05T18:00:00Z' } as const
    const first = await startEmulator(options)
    await pay(first)
    const tabs = await openAll(first.baseUrl)
    await first.close()
    for (const { page } of tabs) {
      await page.getByText('Connection lost.').waitFor()
      expect(await page.locator('main h1').count()).toBe(1)
    }

    const second = await startUntilEnd({ ...options, seed: 'empty' })
    for (const { page } of tabs) {
      await page.getByText('The emulator was started again.').waitFor({ timeout: 20_000 })
    }
    for (const [at, [, words]] of views.entries()) await tabs[at]?.page.getByText(words).first().waitFor()

    await second.control.users.create({ name: 'Ana Solís' })
    await second.control.reset()
    for (const { page } of tabs) await page.getByText('The world was reset.').waitFor()
    for (const { page } of tabs) expect(await page.getByText('Ana Solís').count()).toBe(0)
    for (const { page } of tabs) await page.close()
  })

  test('says that its world has moved, and where to', async () => {
    const [emulator, other] = [await startUntilEnd(), await startUntilEnd()]
    const { base_url } = await emulator.control.worlds.create({ name: 'shop' })
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    await page.goto(`${base_url}/_emulator/`)
    await isLive(page)
    const control = emulator.controlOf('shop')
    const moved = await other.control.import({ name: 'shop', file: await control.export() })
    const { file = '' } = moved.made_from
    await control.worlds.moved({ name: 'shop', base_url: moved.base_url, file })
    await page.getByText('Another emulator has it now.').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'The world shop has moved' }).waitFor()
    await page.getByRole('link', { name: moved.base_url }).click()
    await isLive(page)
    await page.close()
  })

  test('says that another shard answers, and goes on when its own does', async () => {
    const [port, worlds] = [await freePort(), newFolder()]
    const first = await startEmulator({ port, worlds, shard: 's2' })
    const { base_url } = await first.control.worlds.create({ name: 'shop' })
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    await page.goto(`${base_url}/_emulator/`)
    await isLive(page)
    await first.close()
    const other = await startEmulator({ port, shard: 's3' })
    await page.getByText('Another emulator answers.').waitFor({ timeout: 20_000 })
    await other.close()
    await startUntilEnd({ port, worlds, shard: 's2' })
    await isLive(page)
    await page.close()
  })

  test('says that its world has ended', async () => {
    const emulator = await startUntilEnd()
    await emulator.control.worlds.create({ name: 'shop' })
    const tabs = await openAll(`${emulator.baseUrl}/w/shop`)
    await emulator.control.worlds.delete({ name: 'shop' })
    for (const { page } of tabs) await page.getByText('This world has ended.').waitFor()
    for (const { page } of tabs) await page.close()
  })

  test('works in a world of 10,000 payments and as many deliveries', { timeout: 180_000 }, async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 64 })
    const { url } = await emulator.control.receivers.set({ id: 'shop' })
    await subscribe(emulator, url)
    const [{ id = '' } = {}] = (await emulator.control.subscriptions.list()).data
    const authorization = `Bearer ${emulator.token}`
    await fetch(`${emulator.baseUrl}/api/webhooks/subscriptions/${id}/suspend`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{}',
    })
    for (let at = 0; at < 100; at++) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => pay(emulator, { amount: 1 + n })))
    }
    expect((await emulator.control.deliveries.list()).total).toBe(10_000)

    const { page, complaints } = await visit({ emulator })
    for (const [view] of views) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
      await page.locator('main h1').waitFor()
      await expect.poll(() => page.locator('main .waiting').count(), { timeout: 20_000 }).toBe(0)
      // A view draws only what the screen shows, however long its lists are.
      expect({ view, few: (await page.locator('main *').count()) < 3000 }).toEqual({ view, few: true })
    }

    await page.goto(`${emulator.baseUrl}/_emulator/#/webhooks`)
    await page.getByText('10,000 rows').waitFor()
    await page.evaluate(`{
      const box = document.querySelector('.deliveries .rows')
      box.scrollTop = box.scrollHeight
    }`)
    await expect.poll(() => page.locator('[aria-rowindex="10001"] [data-row]').count()).toBe(1)
    expect(await page.locator('.deliveries [data-row]').last().getAttribute('data-row')).toBe('whd_000000000001')
    expect(complaints).toEqual([])
  })
})
