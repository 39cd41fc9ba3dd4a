/**
 * `npm run screenshots`: takes the pictures of `docs/guide/page.md`. Runs differ only in ids, times and ports. `npm run
 * screenshots -- <folder>`: takes pictures of every view, in both colour schemes, and in all widths and languages.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchBrowser } from '../test/browser/launch.ts'
import { withPalette } from './palette_png.ts'
import { type PicturedWorlds, startPicturedWorlds } from './pictured_worlds.ts'

interface Picture {
  readonly name: string
  /** Path and query within the page. */
  readonly at: string
  /** URL of the world; default: the world with the payroll. */
  readonly base?: string
  /** Clicks and types in the page before the picture is taken. */
  readonly before?: (page: Page) => Promise<void>
}

const [folder] = process.argv.slice(2)
const worlds = await startPicturedWorlds()
const browser = await launchBrowser()
try {
  await (folder === undefined ? takeForGuide(browser, worlds) : takeEveryView(browser, worlds, resolve(folder)))
} finally {
  await browser.close()
  await worlds.close()
}

async function takeForGuide(browser: Browser, { filled, newest, lost, delivery }: PicturedWorlds): Promise<void> {
  const pictures: readonly (Picture & { readonly options?: BrowserContextOptions })[] = [
    { name: 'payments', at: 'payments' },
    { name: 'payment', at: `payments/${newest}`, options: { colorScheme: 'dark' } },
    { name: 'requests', at: 'requests' },
    {
      name: 'webhooks',
      at: `webhooks/${delivery}`,
      before: openAttempt,
      options: { viewport: { width: 1360, height: 780 } },
    },
    { name: 'what-if', at: `what-if/${lost}`, before: useKeyOfFirstTry },
    { name: 'phone', at: 'payments', options: { locale: 'es-CR', viewport: { width: 360, height: 740 } } },
  ]
  const folder = fileURLToPath(new URL('../docs/guide/images/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  for (const { options, ...picture } of pictures) {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1180, height: 720 }, ...options })
    const png = withPalette(await taken(await context.newPage(), picture, filled.baseUrl))
    await context.close()
    const path = join(folder, `${picture.name}.png`)
    writeFileSync(path, png)
    console.log(`${path}\t${Math.ceil(png.length / 1024)} KiB`)
  }
}

async function takeEveryView(browser: Browser, worlds: PicturedWorlds, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const locale of ['en-GB', 'es-CR']) {
      for (const width of [1280, 360]) {
        const context = await browser.newContext({ colorScheme, locale, viewport: { width, height: 900 } })
        const page = await context.newPage()
        for (const picture of everyView(worlds)) {
          const name = `${picture.name}_${locale.slice(0, 2)}_${colorScheme}_${width}.png`
          writeFileSync(join(folder, name), await taken(page, picture, worlds.filled.baseUrl))
        }
        await context.close()
        console.log(`${locale} ${colorScheme} ${width} pixels`)
      }
    }
  }
}

async function taken(page: Page, { at, base, before }: Picture, filled: string): Promise<Buffer> {
  await page.goto('about:blank')
  await page.goto(`${base ?? filled}/_emulator/#/${at}`)
  await page.locator('h1, [data-heading]').last().waitFor()
  await page.waitForTimeout(400)
  await before?.(page)
  await page.evaluate('document.activeElement?.blur()')
  await page.waitForTimeout(300)
  return page.screenshot()
}

function everyView(worlds: PicturedWorlds): readonly Picture[] {
  const { newest, refused, underWay, lost, delivery, subscription, account } = worlds
  const empty = worlds.empty.baseUrl
  return [
    { name: 'payments', at: 'payments' },
    { name: 'payments-none', at: 'payments?text=nobody' },
    { name: 'payments-empty', at: 'payments', base: empty },
    { name: 'payment', at: `payments/${newest}` },
    { name: 'payment-open', at: `payments/${newest}`, before: openAll },
    { name: 'payment-refused', at: `payments/${refused}` },
    { name: 'payment-in-progress', at: `payments/${underWay}` },
    { name: 'requests', at: 'requests' },
    { name: 'requests-empty', at: 'requests', base: empty },
    { name: 'request', at: `requests/${lost}` },
    { name: 'request-edit', at: `requests/${lost}`, before: (page) => page.locator('article button').last().click() },
    { name: 'request-breach', at: 'requests?status=4xx', before: (page) => page.locator('[data-row]').first().click() },
    { name: 'webhooks', at: 'webhooks' },
    { name: 'webhooks-empty', at: 'webhooks', base: empty },
    { name: 'delivery', at: `webhooks/${delivery}`, before: openAttempt },
    { name: 'subscription', at: `webhooks/${subscription}` },
    { name: 'receiver', at: 'webhooks/receivers/shop', before: openAttempt },
    { name: 'accounts', at: 'accounts' },
    { name: 'accounts-empty', at: 'accounts', base: empty },
    { name: 'account', at: `accounts/${account}` },
    { name: 'report', at: 'report', before: openAll },
    { name: 'what-if-start', at: 'what-if' },
    { name: 'what-if-empty', at: 'what-if', base: empty },
    { name: 'what-if-form', at: `what-if/${lost}` },
    { name: 'what-if', at: `what-if/${lost}`, before: useKeyOfFirstTry },
    { name: 'time', at: 'time' },
    { name: 'faults', at: 'faults' },
    { name: 'faults-chaos', at: 'faults', base: empty },
    { name: 'people', at: 'people' },
    { name: 'people-empty', at: 'people', base: empty },
    { name: 'worlds', at: 'worlds' },
    { name: 'search', at: `search?q=María` },
    { name: 'search-none', at: 'search?q=nobody' },
    { name: 'no-view', at: 'nowhere' },
    { name: 'keys', at: 'payments', before: (page) => page.keyboard.press('?') },
    { name: 'token', at: 'payments', base: worlds.locked.baseUrl },
  ]
}

async function openAll(page: Page): Promise<void> {
  for (const summary of await page.locator('main summary').all()) await summary.click()
}

async function openAttempt(page: Page): Promise<void> {
  await page.locator('.detail .findings summary').first().click()
}

/** In the page, sends the request again in a fork with the key of the first attempt, and shows the difference. */
async function useKeyOfFirstTry(page: Page): Promise<void> {
  await page.getByRole('radio').last().check()
  await page.getByRole('textbox').nth(1).fill('overtime-1')
  await page.locator('button.primary').click()
  await page.locator('.branches tbody tr.removed').first().scrollIntoViewIfNeeded()
}
