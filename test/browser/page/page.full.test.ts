import type { Route } from 'playwright-core'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { freePort } from '../../support/free_port.ts'
import { serve } from '../../support/server.ts'
import { describeInBrowser } from '../chromium.ts'
import { overflow } from '../measures.ts'
import {
  closeBrowser,
  focused,
  isLive,
  listen,
  pay,
  startUntilEnd,
  subscribe,
  tabTo,
  theBrowser,
  visit,
} from './visit.ts'

const secrets = { controlToken: 'c0ntrol-of-this-test', token: 'token-of-this-test-alone' }

afterAll(closeBrowser)

describeInBrowser('access to the page', () => {
  test('a link with a code opens it once; the code leaves the address, and a second use is refused', async () => {
    const notes: string[] = []
    const emulator = await startUntilEnd({ ...secrets, onNotice: (text) => notes.push(text) })
    const { url } = await emulator.control.page.code()
    const context = await (await theBrowser()).newContext()
    const page = await context.newPage()
    await page.goto(`${url}&to=${encodeURIComponent('/requests')}`)
    await isLive(page)
    expect(page.url()).toBe(`${emulator.baseUrl}/_emulator/#/requests`)
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).toBe('{}')
    await page.reload()
    await isLive(page)

    const other = await context.newPage()
    await other.goto(url)
    await other.getByRole('alert').waitFor()
    expect(await other.getByRole('alert').textContent()).toContain('This link was used before')
    expect(notes).toHaveLength(1)
    expect(other.url()).not.toContain('code')
    await context.close()
  })

  test.each([
    ['is cut off', '#code=abc', 'This link is not complete'],
    ['is unknown', `#code=${'a'.repeat(22)}`, 'or another start of the emulator made it'],
  ])('a link whose code %s says so, and leaves the token to the user', async (_, code, message) => {
    const emulator = await startUntilEnd(secrets)
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    await page.goto(`${emulator.baseUrl}/_emulator/${code}`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain(message)
    await page.getByLabel('Control token').fill(secrets.controlToken)
    await page.keyboard.press('Enter')
    await isLive(page)
    await page.close()
  })

  test('a link that gets no answer, or a refusal for another reason, does not count as old', async () => {
    const emulator = await startUntilEnd({ ...secrets, locale: 'en' })
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    const exchange = '**/_emulator/page-codes/exchange'
    for (const [answer, reason] of [
      [(route: Route) => route.abort(), 'The emulator does not answer.'],
      [(route: Route) => route.fulfill({ status: 403, json: { message: 'Forbidden.' } }), 'Forbidden.'],
    ] as const) {
      await page.route(exchange, answer)
      await page.goto('about:blank')
      await page.goto((await emulator.control.page.code()).url)
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('alert').textContent()).toBe(`This link did not open the page: ${reason}`)
      await page.unroute(exchange)
    }
    await page.close()
  })

  test('the plain address asks for the token, and says when it is wrong', async () => {
    const emulator = await startUntilEnd(secrets)
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    await page.goto(`${emulator.baseUrl}/_emulator/`)
    await page.getByLabel('Control token').fill('nonsense')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('This is not the control token.')
    await page.getByLabel('Control token').fill(secrets.controlToken)
    await page.keyboard.press('Enter')
    await isLive(page)
    await page.close()
  })
})

describeInBrowser('the frame', () => {
  test('every view loads its own files only, and breaks no policy', async () => {
    const { page, complaints } = await visit()
    for (const link of await page.getByRole('navigation').getByRole('link').all()) {
      await link.click()
      await page.locator('main h1').waitFor()
    }
    expect(complaints).toEqual([])
  })

  test('the heading of a view has the focus before the view is shown, so that no typed text is lost', async () => {
    const { page } = await visit()
    const focusedFirst = page.evaluate(
      `new Promise((resolve) => {
        new MutationObserver(() => {
          if (document.querySelector('.view.worlds')) resolve(document.activeElement.textContent)
        }).observe(document.querySelector('main'), { childList: true, subtree: true })
        location.hash = '#/worlds'
      })`,
    )
    expect(await focusedFirst).toBe('Worlds')
  })

  test('a string can’t become markup, even for a script of the page', async () => {
    const { page } = await visit()
    const refused = page.evaluate("document.body.innerHTML = '<img src=x onerror=alert(1)>'")
    await expect(refused).rejects.toThrow(/TrustedHTML/)
  })

  test('with the keyboard alone: search, rows, a detail and back, the list of keys', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const ids = [await pay(emulator), await pay(emulator), await pay(emulator)]
    const { page } = await visit({ emulator })
    await page.locator('[data-row]').first().waitFor()

    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await page.evaluate('document.activeElement.dataset.row')).toBe(ids[1])
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Payment' }).last().waitFor()
    await expect.poll(() => focused(page)).toBe(`Payment ${ids[2]?.slice(-6)}`)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe(ids[2])

    await page.keyboard.press('/')
    await page.keyboard.type('jk?/')
    expect(await page.locator('[data-search]').inputValue()).toBe('jk?/')
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    expect(await page.getByRole('dialog').getByRole('heading').textContent()).toBe('Keys')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)

    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(ids[0] ?? '')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain(`#/payments/${ids[0]}`)
  })

  test('with the keyboard alone: a filter, a request, and the same request again', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    await pay(emulator)
    await fetch(`${emulator.baseUrl}/api/nothing`)
    const { page, complaints } = await visit({ emulator, at: '/requests' })
    await page.locator('[data-row]').first().waitFor()
    await tabTo(page, 'Answer')
    await page.keyboard.type('4xx')
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1)
    await page.keyboard.press('Home')
    await expect.poll(() => page.locator('[data-row]').count()).toBe(2)
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Request r1')
    await tabTo(page, 'Edit and send again')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Send POST')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.url()).toContain('#/requests/r3')
    await page.getByText('It got the first answer to its key').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('[data-row]').count()).toBe(3)
    await expect.poll(() => page.evaluate('document.activeElement.dataset.row')).toBe('r3')
    expect(complaints.filter((complaint) => !/404/.test(complaint))).toEqual([])
  })

  test('new payments come by themselves, and wait while a detail is open', async () => {
    const { page, emulator } = await visit()
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    await pay(emulator)
    await page.locator('[data-row]').first().click()
    await page.locator('.detail').waitFor()
    const rows = page.locator('[data-row]')
    expect(await rows.count()).toBe(1)

    await pay(emulator)
    await pay(emulator)
    await page.getByRole('button', { name: 'Show 2 new' }).click()
    await expect.poll(() => rows.count()).toBe(3)
  })

  test('a payment between the first read of the list and the start of the stream is shown', async () => {
    const emulator = await startUntilEnd()
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    onTestFinished(() => page.close())
    const { promise: isPaid, resolve: start } = Promise.withResolvers<void>()
    await page.route('**/_emulator/events', async (route) => {
      await isPaid
      await route.continue()
    })
    await page.goto(`${emulator.baseUrl}/_emulator/#/`)
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    await pay(emulator)
    start()
    await isLive(page)
    await expect.poll(() => page.locator('[data-row]').count()).toBe(1)
  })

  test.each(['demo', 'empty'] as const)('a world of the seed %s sends its first payment by a form', async (seed) => {
    const emulator = await startUntilEnd({ seed })
    const { page } = await visit({ emulator })
    await page.getByRole('button', { name: 'Send payment' }).click()
    await page.getByText('Payment sent').waitFor()
    await page.locator('[data-row]').first().waitFor()
    expect((await emulator.control.payments.list()).data[0]?.amount.value).toBe(150_025)
  })

  test('a payment changes its row and its timeline as it goes on', async () => {
    const emulator = await startUntilEnd({ settle: 'manual' })
    const url = await serve((_, response) => response.end('taken'))
    await subscribe(emulator, url)
    await pay(emulator)
    const { page } = await visit({ emulator })
    const row = page.locator('.rows-body [role=row]').first()
    expect(await row.textContent()).toContain('Pending')
    await page.locator('[data-row]').first().click()
    await page.getByRole('button', { name: 'Move to Completed' }).click()
    await expect.poll(() => row.textContent()).toContain('Completed')
    await page.locator('.timeline').getByText('Money paid out').waitFor()
    await page.locator('.timeline summary').filter({ hasText: 'payment.completed' }).click()
    await page.getByText(`X-Webhook-Attempt: 1`).waitFor()
    await page.getByText('taken').waitFor()
    expect(await page.getByRole('button', { name: 'Return the money' }).count()).toBe(1)
  })

  test('a link that removes the filter also empties its field', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    await pay(emulator)
    const { page } = await visit({ emulator, at: '/payments?text=nothing-like-it' })
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.locator('[data-row]').first().waitFor()
    const field = page.getByLabel('Name, id, key')
    await expect.poll(() => field.inputValue()).toBe('')
    await field.fill('0.07')
    await page.getByText('No payment matches').waitFor()
    expect(page.url()).toContain('text=0.07')
  })

  test('a list of the requests with one status gets only new requests with this status', async () => {
    const emulator = await startUntilEnd()
    await fetch(`${emulator.baseUrl}/api/first`)
    const { page } = await visit({ emulator, at: '/requests?status=404' })
    await page.locator('[data-row]').first().waitFor()
    await fetch(`${emulator.baseUrl}/api/user`)
    await fetch(`${emulator.baseUrl}/api/second`)
    await page.locator('[data-row]', { hasText: 'second' }).waitFor()
    expect(await page.locator('[data-row]').allTextContents()).toEqual(['GET /api/second', 'GET /api/first'])
  })

  test('a request that does not arrive says so', async () => {
    const emulator = await startUntilEnd()
    await fetch(`${emulator.baseUrl}/api/payments/service-status`)
    const { page } = await visit({ emulator, at: '/requests/r1' })
    await page.getByRole('button', { name: 'Edit and send again' }).click()
    await page.route('**/api/payments/service-status', (route) => route.abort())
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByRole('alert').getByText('The emulator does not answer.').waitFor({ timeout: 8000 })
  })

  test('a payment that a reset removed is no longer shown', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const { page } = await visit({ emulator, at: `/payments/${await pay(emulator)}` })
    await page.locator('.payment-amount').waitFor()
    await emulator.control.reset()
    await page.locator('.detail').getByText('Payment not found').waitFor()
    expect(await page.locator('.payment-amount').count()).toBe(0)
  })

  test('hostile texts are shown as they are and do nothing', async () => {
    const emulator = await startUntilEnd()
    const text = `</b><script>alert(1)</script><img src=x onerror=alert(2)>\u202Eevil"'`
    await emulator.control.registry.add({ name: text, phone: '60000009', document_number: '0109990777' })
    await pay(emulator, { recipient_phone: '60000009', description: text })
    await fetch(`${emulator.baseUrl}/api/${encodeURIComponent(text)}`)
    const { page, complaints } = await visit({ emulator })
    await page.getByText(text).first().waitFor()
    await page.locator('[data-row]').first().click()
    await page.locator('.timeline summary').first().click()
    for (const view of ['requests', `search?q=${encodeURIComponent(text)}`]) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
      await page.locator('main h1').waitFor()
    }
    expect(await page.locator('main script, main img, main b').count()).toBe(0)
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
  })

  test('copies a request for a shell, and sends it again changed', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    await pay(emulator, { description: "It's $HOME and `date`" })
    const { page, context } = await visit({ emulator, at: '/requests/r1' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const curl = String(await page.evaluate('navigator.clipboard.readText()'))
    expect(curl).toContain('"Authorization: Bearer $PAYCTL_TOKEN"')
    expect(curl).toContain(`It'\\''s $HOME`)
    expect(curl).not.toContain(emulator.token)

    await page.getByRole('button', { name: 'Edit and send again' }).click()
    await page.getByRole('textbox', { name: /^Key/ }).fill('another-key')
    await page.getByRole('button', { name: /^Send/ }).click()
    await expect.poll(() => page.url()).toContain('/requests/r2')
    expect((await emulator.control.requests.get({ id: 'r2' })).idempotency_key).toBe('another-key')
    expect((await emulator.control.tokens.list()).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)
  })

  test.each(['en-GB', 'es-CR'])('has the language of the browser, and a switch: %s', async (locale) => {
    const { page } = await visit({ locale })
    const titles = locale === 'es-CR' ? ['Pagos', 'Payments', 'English'] : ['Payments', 'Pagos', 'Español']
    expect(await page.locator('main h1').textContent()).toBe(titles[0])
    expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2))
    await page.getByRole('button', { name: titles[2] ?? '' }).click()
    await expect.poll(() => page.locator('main h1').textContent()).toBe(titles[1])
  })
})

describeInBrowser('the stream', () => {
  test('a lost connection is shown, and the page goes on with the world of a new emulator', async () => {
    const port = await freePort()
    const first = await startEmulator({ port, rateLimit: 'off' })
    await pay(first)
    const { page } = await visit({ emulator: first })
    await page.locator('[data-row]').first().waitFor()
    await first.close()
    await page.getByText('Connection lost.').waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)

    const second = await startUntilEnd({ port })
    await page.getByText('The emulator was started again.').waitFor({ timeout: 15_000 })
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
    await pay(second)
    await page.locator('[data-row]').first().waitFor()
  })

  test('a reset shows the new world, and the end of a world says so', async () => {
    const emulator = await startUntilEnd()
    await emulator.control.worlds.create({ name: 'shop' })
    const page = await (await theBrowser()).newPage({ locale: 'en-GB' })
    await page.goto(`${emulator.baseUrl}/w/shop/_emulator/`)
    await isLive(page)
    await emulator.controlOf('shop').reset()
    await page.getByText('The world was reset.').waitFor()
    await emulator.control.worlds.delete({ name: 'shop' })
    await page.getByText('This world has ended.').waitFor()
    await page.close()
  })

  test('ten tabs share one stream, which another takes over', async () => {
    const { page, context, emulator } = await visit()
    const tabs = [page]
    for (let tab = 1; tab < 10; tab++) {
      const next = await context.newPage()
      listen(next, emulator.baseUrl)
      await next.goto(`${emulator.baseUrl}/_emulator/`)
      await isLive(next)
      tabs.push(next)
    }
    await pay(emulator)
    for (const tab of tabs) await tab.locator('[data-row]').first().waitFor()

    await page.close()
    await pay(emulator)
    for (const tab of tabs.slice(1)) await expect.poll(() => tab.locator('[data-row]').count()).toBe(2)
  })
})

describeInBrowser('a list of 2,500 payments', () => {
  test('draws the rows in view, reaches the last, and filters on the server', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    for (let at = 0; at < 25; at++) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => pay(emulator, { amount: 1 + n })))
    }
    const { page } = await visit({ emulator })
    await page.getByText('2,500 rows').waitFor()
    expect(await page.locator('.rows-body [role=row]').count()).toBeLessThan(60)
    await page.evaluate(`new Promise((done) => {
      const box = document.querySelector('.rows')
      let step = 0
      const scroll = () => {
        box.scrollTop = (box.scrollHeight / 60) * ++step
        if (step < 60) requestAnimationFrame(scroll)
        else done()
      }
      scroll()
    })`)
    await expect.poll(() => page.locator('[aria-rowindex="2501"] [data-row]').count()).toBe(1)
    await page.getByLabel('Name, id, key').fill('0.07')
    await expect.poll(() => page.getByRole('status').first().textContent()).toMatch(/^\s*25 rows/)
    expect(page.url()).toContain('text=0.07')
  })
})

describeInBrowser('every view', () => {
  test.each([320, 360, 1280])('fits a window of %i pixels', async (width) => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const id = await pay(emulator)
    const { page } = await visit({ emulator, viewport: { width, height: 740 } })
    for (const at of ['payments', `payments/${id}`, 'requests', 'requests/r1', 'search?q=nothing', 'worlds']) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
      await page.waitForTimeout(200)
      expect({ at, overflow: await overflow(page) }).toEqual({ at, overflow: 0 })
    }
  })
})
