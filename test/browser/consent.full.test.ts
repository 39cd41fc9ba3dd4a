import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { demo } from '../../emulator/worlds/seed.ts'
import { allScopes } from '../../src/contract/index.ts'
import { type OAuthApp, startOAuthApp } from '../emulator/oauth/oauth_app.ts'
import { type Application, startApplication, startForeignPage } from './application.ts'
import { describeInBrowser } from './chromium.ts'
import { launchBrowser } from './launch.ts'
import { contrast, luminance, overflow, textColours } from './measures.ts'

let browser: Browser

interface Visit {
  readonly app: OAuthApp
  readonly application: Application
  readonly page: Page
  /** Errors and warnings of the browser. */
  readonly complaints: string[]
  /** Every URL that the browser requested. */
  readonly requests: string[]
}

async function openPage(options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
  page.on('request', (request) => requests.push(request.url()))
  return { page, complaints, requests }
}

/** Opens the consent page of an application that waits for its user. */
async function visit(query: Record<string, string> = {}, options: BrowserContextOptions = {}): Promise<Visit> {
  const app = await startOAuthApp()
  const application = await startApplication()
  const opened = await openPage(options)
  await opened.page.goto(app.link({ redirect_uri: application.callback, ...query }))
  return { app, application, ...opened }
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow' })
const deny = (page: Page) => page.getByRole('button', { name: 'Deny' })

/** The scopes of the token that the application gets for the code in its callback. */
async function granted({ app, application }: Visit): Promise<readonly string[]> {
  const code = application.called()?.get('code') ?? ''
  const { body } = await app.exchange(code, { redirect_uri: application.callback })
  return body.scope.split(' ')
}

describeInBrowser('the consent page in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  describe.each([true, false])('JavaScript: %s', (javaScriptEnabled) => {
    test('grant all', async () => {
      const it = await visit({ state: 'a&b=“c”\n' }, { javaScriptEnabled })

      await allow(it.page).click()
      await it.page.waitForURL(`${it.application.callback}?**`)

      expect(it.application.called()?.get('state')).toBe('a&b=“c”\n')
      expect(await granted(it)).toEqual(allScopes)
      expect(it.complaints).toEqual([])
    })

    test('deny one scope', async () => {
      const it = await visit({}, { javaScriptEnabled })

      await it.page.getByRole('checkbox', { name: 'Send payments' }).uncheck()
      await allow(it.page).click()
      await it.page.waitForURL(`${it.application.callback}?**`)

      expect(await granted(it)).toEqual(allScopes.filter((scope) => scope !== 'send-payments'))
    })

    test('deny all', async () => {
      const it = await visit({}, { javaScriptEnabled })

      await deny(it.page).click()
      await it.page.waitForURL(`${it.application.callback}?**`)

      expect(Object.fromEntries(it.application.called() ?? [])).toMatchObject({ error: 'access_denied', state: 'xyz' })
    })
  })

  test('allow with nothing ticked is a no', async () => {
    const it = await visit()

    for (const box of await it.page.getByRole('checkbox').all()) await box.uncheck()
    await allow(it.page).click()
    await it.page.waitForURL(`${it.application.callback}?**`)

    expect(it.application.called()?.get('error')).toBe('access_denied')
  })

  test('another user can be picked, by clicking anywhere on the row', async () => {
    const it = await visit()

    await it.page.getByText('laura.quesada@example.com').click()
    await allow(it.page).click()
    await it.page.waitForURL(`${it.application.callback}?**`)

    const code = it.application.called()?.get('code') ?? ''
    const { body } = await it.app.exchange(code, { redirect_uri: it.application.callback })
    expect(await it.app.asked(body.access_token)).toMatchObject({ name: 'Laura Quesada Brenes' })
  })

  test('with the keyboard alone', async () => {
    const it = await visit()
    const press = (...keys: string[]) =>
      keys.reduce((done, key) => done.then(() => it.page.keyboard.press(key)), Promise.resolve())

    await press('Tab', 'ArrowDown', 'Tab', 'Space', 'Tab', 'Tab', 'Space')
    expect(await it.page.getByRole('radio', { name: 'Laura Quesada Brenes' }).isChecked()).toBe(true)
    await press('Tab', 'Tab', 'Tab', 'Tab')
    expect(await it.page.locator('button:focus-visible').textContent()).toBe('Allow')
    await press('Enter')
    await it.page.waitForURL(`${it.application.callback}?**`)

    expect(await granted(it)).toEqual(['read-accounts', 'send-payments', 'manage-webhooks'])
  })

  test('Enter before a decision was reached denies', async () => {
    const it = await visit()

    await it.page.getByRole('checkbox').first().focus()
    await it.page.keyboard.press('Enter')
    await it.page.waitForURL(`${it.application.callback}?**`)

    expect(it.application.called()?.get('error')).toBe('access_denied')
  })

  test('to a screen reader: landmarks, groups and names', async () => {
    const { page } = await visit({ scope: 'read-user send-payments' })

    expect(await page.getAttribute('html', 'lang')).toBe('en')
    expect(await page.title()).toBe('Allow access? · payctl emulator')
    expect(
      (await page.locator('body').ariaSnapshot()).replace(/(127\.0\.0\.1)(:|%3A)\d+/g, '$1$2PORT'),
    ).toMatchInlineSnapshot(`
      "- banner: payctl emulator No real money
      - main:
        - heading "payctl command line asks for access to your accounts" [level=1]
        - paragraph: Choose who you are and what it may do. You can say no to any part.
        - group "Sign in as":
          - text: Sign in as
          - radio "María Fernández Rojas maria.fernandez@example.com" [checked]
          - text: María Fernández Rojas maria.fernandez@example.com
          - radio "Laura Quesada Brenes laura.quesada@example.com"
          - text: Laura Quesada Brenes laura.quesada@example.com
        - group "Allow payctl command line to":
          - text: Allow payctl command line to
          - checkbox "See who you are Your name, your email address and when you joined." [checked]
          - text: See who you are Your name, your email address and when you joined.
          - checkbox "Send payments The application can send money from your accounts without asking you again. Also your payment history and exchange rates." [checked]
          - text: Send payments The application can send money from your accounts without asking you again. Also your payment history and exchange rates.
        - paragraph:
          - text: You go back to
          - strong: http://127.0.0.1:PORT
          - text: either way. Access can be renewed without you until the application gives it up.
        - button "Deny"
        - button "Allow"
      - contentinfo:
        - text: Client ID
        - code: payctl
        - link "Español":
          - /url: "?client_id=payctl&redirect_uri=http%3A%2F%2F127.0.0.1%3APORT%2Fcallback&response_type=code&state=xyz&scope=read-user+send-payments&ui_locales=es""
    `)
  })

  test('in the language of the browser, with a switch that keeps the question', async () => {
    const it = await visit({ scope: 'read-user' }, { locale: 'es-CR' })
    const heading = it.page.getByRole('heading')
    expect(await heading.textContent()).toBe('payctl command line solicita acceso a sus cuentas')
    expect(await it.page.getAttribute('html', 'lang')).toBe('es')

    await it.page.getByRole('link', { name: 'English' }).click()
    await expect.poll(() => heading.textContent()).toBe('payctl command line asks for access to your accounts')
    await allow(it.page).click()
    await it.page.waitForURL(`${it.application.callback}?**`)
    expect(await granted(it)).toEqual(['read-user'])
  })

  test('it asks for nothing but itself', async () => {
    const { requests, complaints, page } = await visit()

    expect(requests).toEqual([page.url()])
    expect(complaints).toEqual([])
  })

  test.each([
    ['client', { client_id: 'nobody' }, 'Unknown application'],
    ['redirect', { redirect_uri: 'https://evil.example/callback' }, 'Unknown return address'],
  ])('a wrong %s is a page, and the browser stays there', async (_, query, heading) => {
    const { page, app, requests } = await visit(query)

    expect(await page.getByRole('heading').textContent()).toBe(heading)
    expect(page.url().startsWith(app.emulator.authUrl)).toBe(true)
    expect(requests).toHaveLength(1)
    expect(await page.locator('form, a').count()).toBe(0)
  })

  test('a hostile client name is shown as it is and does nothing', async () => {
    const app = await startOAuthApp()
    const application = await startApplication()
    const name = `</h1><script>alert(1)</script><img src=x onerror=alert(2)>\u202Eevil <a href="//evil.example">"'`
    const { client_id } = await app.register({ name, redirect_uris: [application.callback] })
    const { page, complaints, requests } = await openPage()

    await page.goto(app.link({ client_id, redirect_uri: application.callback, state: '"><script>alert(3)</script>' }))

    expect(await page.getByRole('heading').textContent()).toBe(`${name} asks for access to your accounts`)
    expect(await page.locator('script, img, main a').count()).toBe(0)
    expect(await overflow(page)).toBe(0)
    expect([complaints, requests.length]).toEqual([[], 1])
  })

  test.each([
    ['a phone', 360, 'light'],
    ['the smallest phone', 320, 'dark'],
    ['a desk', 1280, 'light'],
    ['a desk at night', 1280, 'dark'],
  ] as const)('%s: fits, can be hit and can be read', async (_, width, colorScheme) => {
    const { page } = await visit({}, { viewport: { width, height: 740 }, colorScheme, hasTouch: width < 500 })

    expect(await overflow(page)).toBe(0)
    for (const target of await page.locator('label, button').all()) {
      expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    }
    const colours = await textColours(page)
    expect(colours.length).toBeGreaterThan(20)
    for (const pair of colours) expect(contrast(pair), JSON.stringify(pair)).toBeGreaterThanOrEqual(4.5)
    expect(luminance(colours[0]?.behind ?? '') > 0.5).toBe(colorScheme === 'light')
  })

  test('an application may send its user on to yet another origin', async () => {
    const app = await startOAuthApp()
    const home = await startForeignPage('<h1>Home</h1>')
    const application = await startApplication({ sendsOnTo: home })
    const { page, complaints } = await openPage()

    await page.goto(app.link({ redirect_uri: application.callback }))
    await allow(page).click()
    await page.waitForURL(`${home}/`)

    expect(application.called()?.has('code')).toBe(true)
    expect(complaints).toEqual([])
  })

  test('an application may wait on localhost', async () => {
    const app = await startOAuthApp()
    const application = await startApplication({ host: 'localhost' })
    const { page } = await openPage()

    await page.goto(app.link({ redirect_uri: application.callback }))
    await allow(page).click()
    await page.waitForURL(`${application.callback}?**`)

    expect(application.called()?.has('code')).toBe(true)
  })

  test('a foreign page can’t answer in the user’s name', async () => {
    const app = await startOAuthApp()
    const application = await startApplication()
    const link = app.link({ redirect_uri: application.callback }).replaceAll('&', '&amp;')
    const foreign = await startForeignPage(`<form method="post" action="${link}">
      <input name="user" value="${demo.user.id}"><input name="grant" value="send-payments">
      <button name="decision" value="allow">Win a prize</button></form>`)
    const { page } = await openPage()

    await page.goto(foreign)
    await page.getByRole('button').click()
    await page.getByRole('heading', { name: 'Not from here' }).waitFor()

    expect(application.called()).toBeUndefined()
  })

  test('a foreign page can’t show it in a frame', async () => {
    const app = await startOAuthApp()
    const foreign = await startForeignPage(`<iframe src="${app.link().replaceAll('&', '&amp;')}"></iframe>`)
    const { page, complaints } = await openPage()

    await page.goto(foreign, { waitUntil: 'load' })

    await expect.poll(() => complaints.join()).toMatch(/refused|violates/i)
    expect(await page.frameLocator('iframe').getByRole('button').count()).toBe(0)
  })
})
