import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { Emulator } from '../../../emulator/index.ts'
import { serve } from '../../support/server.ts'
import { describeInBrowser } from '../chromium.ts'
import { cutOff, overflow } from '../measures.ts'
import { closeBrowser, pay, startUntilEnd, visit } from './visit.ts'

afterAll(closeBrowser)

const markup = `</b></pre></textarea><script>alert(1)</script><img src=x onerror=alert(2)>"'&lt;{{1}}`
/** Text that ends isolates, then reverses the text after it. */
const bidi = 'abc\u2069\u2069\u202Eexe.gpj'
const controls = 'bell\u0007 escape\u001b[31m tab\t return\r line\u2028 zero\u200b'
const long = 'W'.repeat(10_000)
const name = `${markup}${bidi}`

/** Sends a request as the emulator's user. The answer may be an error. */
async function send(emulator: Emulator, path: string, body?: object, key = ''): Promise<Response> {
  return fetch(`${emulator.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${emulator.token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== '' && { 'x-idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** A world with hostile texts in everything that a client, a receiver or a person can write. */
async function hostileWorld() {
  const emulator = await startUntilEnd({ settle: 'instant', moments: 64 })
  const receiver = await serve((_, response) =>
    response.writeHead(500, { 'X-Answer': 'x' }).end(`${markup}${bidi}${controls}${long}`),
  )
  await emulator.control.users.create({ name })
  await emulator.control.users.create({ name: 'N'.repeat(255) })
  await emulator.control.registry.add({ name, phone: '60000009', document_number: '0109990777' })
  await emulator.control.registry.add({
    name: 'N'.repeat(255),
    phone: '60000010',
    document_number: '0109990777',
    outcome: 'failed',
    error: markup,
  })
  const url = `${receiver}/${encodeURIComponent(markup)}?${'u'.repeat(1500)}`
  const headers = { 'X-Key': `${markup}`.replace(/[^\x20-\x7e]/g, ''), [`X-${'h'.repeat(100)}`]: 'long' }
  const subscribed = await send(emulator, '/api/webhooks/subscriptions', {
    url,
    headers,
    events: ['payment.completed', 'payment.failed'],
  })
  expect(subscribed.status).toBe(201)
  const built = await emulator.control.receivers.set({ id: 'r'.repeat(63) })
  await send(emulator, '/api/webhooks/subscriptions', { url: built.url, events: ['payment.completed'] })
  const payment = await pay(emulator, { recipient_phone: '60000009', description: name })
  const failed = await pay(emulator, { recipient_phone: '60000010', description: controls })
  for (const description of [long, controls]) {
    await send(emulator, '/api/payments', { description, [name]: name, amount: markup }, `k${'e'.repeat(250)}`)
  }
  await send(emulator, `/api/${encodeURIComponent(name)}`)
  await send(emulator, `/api/${long}`)
  await emulator.control.faults.add({ method: 'GET', path: `/${markup}${'p'.repeat(100)}`, fault: 'reset' })
  await send(emulator, '/oauth/register', {
    client_name: name,
    redirect_uris: [`https://a.example/${'c'.repeat(500)}`],
  })
  await emulator.control.worlds.create({ name: 'w'.repeat(48) })
  const { data } = await emulator.control.deliveries.list()
  const subscriptions = (await emulator.control.subscriptions.list()).data.map(({ id = '' }) => id)
  const log = (await emulator.control.requests.list({ per_page: 100 })).data
  return {
    ...{ emulator, payment, failed, subscriptions },
    deliveries: data.map(({ id = '' }) => id),
    requests: log.map(({ id = '' }) => id),
    /** A request whose path is markup. */
    unknown: log.find(({ path }) => path?.includes('script'))?.id ?? '',
  }
}

/** Waits for the data of a view, and opens everything that can be opened. */
async function openAll(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  await page.waitForTimeout(100)
  await expect.poll(() => page.locator('main .waiting').count()).toBe(0)
  for (const summary of await page.locator('main summary').all()) await summary.click()
}

/** Texts that reverse other texts, because an override is outside an isolate. */
const turned = (page: Page): Promise<string[]> =>
  page.evaluate(`{
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    const isIsolated = (element) => {
      for (let at = element; at && at !== document.body; at = at.parentElement) {
        const { unicodeBidi, display } = getComputedStyle(at)
        if (/isolate|plaintext/.test(unicodeBidi) || (at === element && display === 'block')) return true
      }
      return false
    }
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode
      if (textContent.includes('\\u202E') && !isIsolated(parentElement)) found.push(parentElement.outerHTML.slice(0, 200))
    }
    found
  }`)

/** Elements that only markup from a text could have created. */
const made = 'main :is(script, img, b, iframe, [onerror]), .notices :is(script, img, b)'

describeInBrowser('hostile texts', () => {
  test.each([
    ['light', 'en-GB', 1280],
    ['dark', 'es-CR', 360],
  ] as const)(
    'are texts in every view: %s, %s, %i pixels',
    { timeout: 180_000 },
    async (colorScheme, locale, width) => {
      const { emulator, payment, failed, requests, unknown, subscriptions, deliveries } = await hostileWorld()
      await expect
        .poll(async () => (await emulator.control.deliveries.list()).data.filter(({ attempts }) => attempts).length)
        .toBeGreaterThanOrEqual(3)
      const { page, complaints } = await visit({ emulator, colorScheme, locale, viewport: { width, height: 800 } })
      const findings: string[] = []
      const check = async (at: string) => {
        const add = (finding: string) => findings.push(`${at}: ${finding}`)
        if ((await page.locator(made).count()) > 0) add('markup')
        if ((await overflow(page)) > 0) add(`${await overflow(page)} pixels too wide`)
        for (const each of await cutOff(page)) add(`cut off: ${each}`)
        for (const each of await turned(page)) add(`turned around: ${each}`)
        // Axe takes most of the time. axe.full.test.ts compares the colours of both schemes.
        if (colorScheme === 'dark') return
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
        for (const { id, nodes } of violations) add(`${id} ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`)
      }
      const places = [
        ...['payments', 'requests', 'webhooks', 'accounts', 'report', 'what-if', 'time', 'faults', 'people', 'worlds'],
        ...[payment, failed].map((id) => `payments/${id}`),
        ...requests.map((id) => `requests/${id}`),
        ...subscriptions.map((id) => `webhooks/${id}`),
        ...deliveries.map((id) => `webhooks/${id}`),
        `webhooks/receivers/${'r'.repeat(63)}`,
        `search?q=${encodeURIComponent(name)}`,
        `search?q=${'q'.repeat(200)}`,
        encodeURIComponent(name),
      ]
      for (const at of places) {
        await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
        await openAll(page)
        await check(at)
      }
      await page.goto(`${emulator.baseUrl}/_emulator/#/payments/${payment}`)
      await page.locator('.detail').getByText(name).first().waitFor()
      for (const [view, text] of [
        ['people', name],
        [`webhooks/${deliveries.at(-1)}`, markup],
        [`requests/${unknown}`, encodeURIComponent(markup)],
      ] as const) {
        await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
        await openAll(page)
        await page.getByText(text).filter({ visible: true }).first().waitFor()
      }
      expect(findings).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test.each([
    ['light', 'en-GB', 1280],
    ['dark', 'es-CR', 360],
  ] as const)('are texts in a form and in What if: %s, %s, %i pixels', async (colorScheme, locale, width) => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 64 })
    await emulator.control.registry.add({ name, phone: '60000009', document_number: '0109990777' })
    await pay(emulator, { recipient_phone: '60000009', description: name })
    const { page, complaints } = await visit({ emulator, colorScheme, locale, viewport: { width, height: 800 } })
    const check = async () => {
      expect(await page.locator(made).count()).toBe(0)
      expect(await overflow(page)).toBe(0)
      expect(await turned(page)).toEqual([])
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    }
    const [account] = emulator.accounts()
    const body = { source_account_id: account?.id, recipient_phone: '60000009', amount: 100 }
    for (const description of [`${markup}${bidi}${controls}`, long]) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/what-if/r1`)
      await page.getByRole('radio').last().check()
      await page.getByRole('textbox').nth(1).fill('k'.repeat(200))
      await page.locator('textarea').fill(JSON.stringify({ ...body, description }))
      await check()
      await page.locator('button.primary').click()
      await page.locator('.branches').waitFor()
      await check()
    }
    // The emulator refuses hostile texts as names of worlds, and the page shows the refusal.
    await page.goto(`${emulator.baseUrl}/_emulator/#/worlds`)
    await page.locator('.view.worlds').waitFor()
    for (const hostile of [name, long]) {
      await page.locator('main form').first().getByRole('textbox').fill(hostile)
      await page.keyboard.press('Enter')
      await page.locator('.notice.failed').waitFor()
      await check()
    }
    expect(complaints.filter((complaint) => !/status of 4\d\d/.test(complaint))).toEqual([])
  })
})
