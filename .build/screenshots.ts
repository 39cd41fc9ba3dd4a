/** `npm run screenshots`: makes the pictures of `docs/guide/page.md`. Runs differ only in ids and times. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { type Emulator, startEmulator } from '../emulator/index.ts'
import { launchBrowser } from '../test/browser/launch.ts'
import { withPalette } from './palette_png.ts'

interface Picture {
  readonly name: string
  /** Address within the page. */
  readonly at: string
  readonly options?: BrowserContextOptions
}

const emulator = await startEmulator({ settle: 'instant', rateLimit: 'off', rngSeed: 7, moments: 64 })
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(request.url === '/down' ? 503 : 204).end())
}).listen(0, '127.0.0.1')
const browser = await launchBrowser()
try {
  const { newest, lost } = await fill(emulator, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`)
  const pictures: readonly Picture[] = [
    { name: 'payments', at: 'payments' },
    { name: 'payment', at: `payments/${newest}`, options: { colorScheme: 'dark' } },
    { name: 'requests', at: 'requests' },
    { name: 'what-if', at: `what-if/${lost}` },
    { name: 'worlds', at: 'worlds' },
    { name: 'phone', at: 'payments', options: { locale: 'es-CR', viewport: { width: 360, height: 740 } } },
  ]
  const folder = new URL('../docs/guide/images/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const picture of pictures) {
    const png = withPalette(await taken(picture))
    writeFileSync(new URL(`${picture.name}.png`, folder), png)
    console.log(`${fileURLToPath(new URL(`${picture.name}.png`, folder))}\t${Math.ceil(png.length / 1024)} KiB`)
  }
} finally {
  await browser.close()
  await emulator.close()
  receiver.close()
}

async function taken({ name, at, options }: Picture): Promise<Buffer> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1180, height: 720 }, ...options })
  const page = await context.newPage()
  await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
  await page.locator('.live.on').waitFor()
  await page.locator('main [data-heading]').last().waitFor()
  if (name === 'what-if') {
    await page.getByRole('radio', { name: 'The request is different' }).check()
    await page.getByRole('textbox', { name: /^Key/ }).fill('overtime-1')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches tbody tr', { hasText: 'Removed' }).first().scrollIntoViewIfNeeded()
  }
  await page.evaluate('document.activeElement?.blur()')
  await page.waitForTimeout(500)
  const png = await page.screenshot()
  await context.close()
  return png
}

/** Pays a small payroll: with a refused payment, a lost answer that was paid twice, and a receiver that is down. */
async function fill({ baseUrl, token, control, accounts }: Emulator, receiverUrl: string) {
  const [account] = accounts()
  const send = (path: string, body: object, key = ''): Promise<Response | null> =>
    fetch(`${baseUrl}/api/${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(key !== '' && { 'X-Idempotency-Key': key }),
        Connection: 'close',
      },
      body: JSON.stringify(body),
    }).catch(() => null)
  const pay = (key: string, phone: string, amount: number, description: string) =>
    send('payments', { source_account_id: account?.id, recipient_phone: phone, amount, description }, key)

  for (const path of ['/up', '/down']) {
    await send('webhooks/subscriptions', { url: `${receiverUrl}${path}`, events: ['payment.completed'] })
  }
  await control.credits.create({ to: account?.iban ?? '', amount: 250_000_00 })
  const salaries = [412_500_00, 389_000_00, 455_250_00, 298_700_00, 501_000_00, 365_400_00, 340_000_00]
  for (const [at, amount] of salaries.entries()) {
    // Three payees of the demo world take turns; the fifth payment is refused by the other bank.
    const phone = at === 4 ? '87000006' : `8700000${1 + (at % 3)}`
    await pay(`payroll-11-${at + 1}`, phone, amount, 'Salary of November')
  }
  await fetch(`${baseUrl}/api/payment`, { headers: { Authorization: `Bearer ${token}` } })
  await control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
  await pay('overtime-1', '87000002', 150_025_00, 'Overtime of November')
  await pay('overtime-2', '87000002', 150_025_00, 'Overtime of November')
  await control.worlds.create({ name: 'checkout', from: { world: 'default' } })
  await control.worlds.create({ name: 'month-end', from: { seed: 'demo' } })
  await control.snapshots.create({ name: 'after-payroll' })
  await new Promise((resolve) => setTimeout(resolve, 1000)) // for the deliveries
  const [last] = (await control.requests.list()).data
  const [payment] = (await control.payments.list()).data
  return { lost: last?.id ?? '', newest: payment?.id ?? '' }
}
