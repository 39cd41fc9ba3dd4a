import { existsSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Emulator, startEmulator } from '../../emulator/index.ts'
import { allScopes } from '../../src/contract/index.ts'
import { callbackOf, type LoginSession, startLogin } from '../auth/login_session.ts'
import { describeInBrowser } from './chromium.ts'
import { launchBrowser } from './launch.ts'
import { contrast, overflow, textColours } from './measures.ts'

let browser: Browser
let emulator: Emulator

interface Visit extends LoginSession {
  readonly page: Page
  readonly complaints: string[]
}

/** `payctl login` in a terminal, and its page in a browser. */
async function visit(
  flags: readonly string[] = [],
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const session = await startLogin(emulator, flags)
  const context = await browser.newContext(options)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  await page.goto(String(await session.address()))
  return { ...session, page, complaints }
}

const press = (page: Page, name: 'Allow' | 'Deny') => page.getByRole('button', { name }).click()
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

describeInBrowser('payctl login in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser()
    emulator = await startEmulator({ rateLimit: null })
  })
  afterAll(() => Promise.all([browser.close(), emulator.close()]))

  test('allow all: the page says so, and commands are the user’s', async () => {
    const it = await visit()
    await it.page.getByText('laura.quesada@example.com').click()
    await press(it.page, 'Allow')
    await it.page.waitForURL(`${callbackOf(await it.address())}?**`)

    expect(await heading(it.page)).toBe('You are logged in')
    expect(await it.terminal.ended).toBe(0)
    expect(it.terminal.screen).toContain('Logged in as Laura Quesada Brenes')
    const { stdout } = await it.start(['user', '--json'])
    expect(JSON.parse(String(stdout)).name).toBe('Laura Quesada Brenes')
    expect(it.credentials().scopes).toEqual(allScopes)
    // The browser requests an icon on its own.
    expect(it.complaints.filter((text) => !text.includes('404'))).toEqual([])
  })

  test('deny one scope: the login has the others, and a command that needs it says what to do', async () => {
    const it = await visit()
    await it.page.getByRole('checkbox', { name: 'Send payments' }).uncheck()
    await press(it.page, 'Allow')
    await it.page.waitForURL(`${callbackOf(await it.address())}?**`)

    expect(await it.terminal.ended).toBe(0)
    expect(it.terminal.screen).toContain('Not granted: send-payments')
    const { exitCode, stderr } = await it.start(['payments', 'history'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('payctl login') })
    expect((await it.start(['accounts', 'list'])).exitCode).toBe(0)
  })

  test('without the scope to see who it is, the login is good all the same', async () => {
    const it = await visit(['--scopes', 'read-user,read-accounts'])
    await it.page.getByRole('checkbox', { name: 'See who you are' }).uncheck()
    await press(it.page, 'Allow')

    expect(await it.terminal.ended).toBe(0)
    expect(it.credentials()).toMatchObject({ scopes: ['read-accounts'] })
    expect((await it.start(['accounts', 'list'])).exitCode).toBe(0)
  })

  test('deny: both say that nobody is logged in', async () => {
    const it = await visit()
    await press(it.page, 'Deny')
    await it.page.waitForURL(`${callbackOf(await it.address())}?**`)

    expect(await heading(it.page)).toBe('Not logged in')
    expect(await it.terminal.ended).toBe(5)
    expect(existsSync(it.file)).toBe(false)
  })

  test('the page can be reloaded and left while payctl waits', async () => {
    const it = await visit()
    await it.page.reload()
    const stray = await it.page.context().newPage()
    await stray.goto(`${callbackOf(await it.address())}?code=guessed&state=guessed`)
    expect(await heading(stray)).toBe('This is not the answer that payctl is waiting for')
    await press(it.page, 'Allow')

    expect(await it.terminal.ended).toBe(0)
  })

  test.each([
    ['a phone', 360, 'light', 'Allow'],
    ['a desk at night', 1280, 'dark', 'Deny'],
  ] as const)('%s: the last page fits and can be read', async (_, width, colorScheme, answer) => {
    const { page, address } = await visit([], {
      viewport: { width, height: 740 },
      colorScheme,
      javaScriptEnabled: true,
    })
    await press(page, answer)
    await page.waitForURL(`${callbackOf(await address())}?**`)

    expect(await overflow(page)).toBe(0)
    const colours = await textColours(page)
    expect(colours.length).toBeGreaterThan(2)
    for (const pair of colours) expect(contrast(pair), JSON.stringify(pair)).toBeGreaterThanOrEqual(4.5)
    await page.waitForLoadState()
    expect(await page.getAttribute('html', 'lang')).toBe('en')
  })
})
