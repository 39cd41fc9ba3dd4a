import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../emulator/index.ts'
import { launchBrowser } from '../launch.ts'

/** A page of an emulator in a browser, until the test ends. */
export interface Visit {
  readonly emulator: Emulator
  readonly context: BrowserContext
  readonly page: Page
  /** Errors and warnings of the browser, dialogs, and requests to other origins. */
  readonly complaints: string[]
}

let browser: Promise<Browser> | undefined

/** The browser that all tests of a file share. */
export const theBrowser = (): Promise<Browser> => {
  browser ??= launchBrowser()
  return browser
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export async function startUntilEnd(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ rateLimit: 'off', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

interface VisitOptions extends BrowserContextOptions {
  /** Address in the page, such as `/requests`. */
  readonly at?: string
  /** A running emulator; by default a new one. */
  readonly emulator?: Emulator
}

/** Opens the page and waits until it is live. */
export async function visit({ at = '/', emulator: given, ...options }: VisitOptions = {}): Promise<Visit> {
  const emulator = given ?? (await startUntilEnd())
  const context = await (await theBrowser()).newContext({ locale: 'en-GB', ...options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints = listen(page, emulator.baseUrl)
  await page.goto(`${emulator.baseUrl}/_emulator/#${at}`)
  await isLive(page)
  return { emulator, context, page, complaints }
}

/** Collects forbidden behaviour of the page. */
export function listen(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(request.url())
  })
  return complaints
}

export const isLive = (page: Page): Promise<void> => page.locator('.live.on').waitFor({ timeout: 15_000 })

/** Pays from the account in colones, with the service's own endpoint. Returns the id of the payment. */
export async function pay(emulator: Emulator, body: object = {}, base = emulator.baseUrl): Promise<string> {
  const [account] = emulator.accounts()
  const answer = await fetch(`${base}/api/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.token}`,
      'content-type': 'application/json',
      'x-idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ source_account_id: account?.id, recipient_phone: '87000001', amount: 150025, ...body }),
  })
  expect(answer.status).toBe(201)
  const { data } = (await answer.json()) as { data: { id: string } }
  return data.id
}

/** Subscribes a receiver to completed payments, with a secret header. */
export async function subscribe(emulator: Emulator, url: string): Promise<void> {
  const answer = await fetch(`${emulator.baseUrl}/api/webhooks/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: ['payment.completed'], headers: { 'X-Key': 'secret-of-the-receiver' } }),
  })
  expect(answer.status).toBe(201)
}

/** Text of the element that has the focus. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement?.textContent.replace(/\\s+/g, ' ').trim() ?? ''")

/** Presses Tab until a control with this text or label has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    const current = await page.evaluate(
      "document.activeElement.closest('label')?.textContent ?? document.activeElement.textContent",
    )
    if (String(current).startsWith(name)) return
  }
  throw new Error(`No control is called ${name}.`)
}
