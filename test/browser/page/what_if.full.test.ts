import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { Emulator } from '../../../emulator/index.ts'
import { describeInBrowser } from '../chromium.ts'
import { overflow } from '../measures.ts'
import { closeBrowser, focused, startUntilEnd, tabTo, visit } from './visit.ts'

afterAll(closeBrowser)

const amount = 15_002_500

/** Pays the rent with a key. Resolves with the status, or null if the answer was lost. */
async function tryToPay(emulator: Emulator, key: string): Promise<number | null> {
  const [account] = emulator.accounts()
  const sent = fetch(`${emulator.baseUrl}/api/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.token}`,
      'content-type': 'application/json',
      'x-idempotency-key': key,
      connection: 'close',
    },
    body: JSON.stringify({ source_account_id: account?.id, recipient_phone: '87000001', amount }),
  })
  return sent.then(({ status }) => status).catch(() => null)
}

/** Waits until the page has turned on saved moments in the world. */
const keepsMoments = (emulator: Emulator): Promise<void> =>
  expect
    .poll(async () => {
      const answer = await fetch(`${emulator.baseUrl}/_emulator/moments`)
      return ((await answer.json()) as { data: { kept: { limit_mib: number | null } } }).data.kept.limit_mib
    })
    .toBe(64)

/** A script with a bug: after a lost answer it tries again with a new key, and pays twice. */
async function payTwice(emulator: Emulator): Promise<void> {
  await emulator.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
  expect(await tryToPay(emulator, 'rent-try-1')).toBeNull()
  expect(await tryToPay(emulator, 'rent-try-2')).toBe(201)
}

/** Available money of the account in colones, in minor units. */
async function available(emulator: Emulator, world = ''): Promise<number> {
  const [account] = emulator.accounts()
  const answer = await fetch(`${emulator.baseUrl}${world}/_emulator/accounts/${account?.id}`)
  return ((await answer.json()) as { data: { balance: { value: number } } }).data.balance.value
}

const rowsOf = (page: Page): Promise<string[]> => page.locator('.branches').first().locator('tbody tr').allInnerTexts()

describeInBrowser('What if', () => {
  test('a script that lost an answer paid twice; with the key of the first try it pays once', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const { page, complaints } = await visit({ emulator })
    await keepsMoments(emulator)
    await payTwice(emulator)

    await page.goto(`${emulator.baseUrl}/_emulator/#/requests/r2`)
    await page.evaluate("window.clicks = 0; addEventListener('pointerdown', () => clicks++)")
    await page.getByRole('link', { name: 'What if …' }).click()
    await page.getByRole('radio', { name: 'The request is different' }).check()
    await page.getByRole('textbox', { name: /^Key/ }).fill('rent-try-1')
    await page.getByRole('button', { name: 'Go' }).click()
    expect(await page.evaluate('clicks')).toBe(3)

    await page.locator('.branches').first().waitFor()
    const rows = await rowsOf(page)
    const [changed = '', ...others] = rows.filter((row) => /^~\s*Changed/.test(row))
    expect(others).toEqual([])
    expect(changed).toContain('its key was known')
    expect(changed).toMatch(/Key rent-try-2[\s\S]*Key rent-try-1/)
    expect(rows.filter((row) => /Removed/.test(row)).length).toBeGreaterThanOrEqual(6)
    expect(await page.locator('.balances').innerText()).toMatch(/Available.*\+150,025\.00 CRC/s)
    expect(complaints).toEqual([])

    const [, fork = ''] = /what-if\/r2\/([\w-]+)/.exec(page.url()) ?? []
    const [forked, present] = [await available(emulator, `/w/${fork}`), await available(emulator)]
    expect(forked - present).toBe(amount)
  })

  test('edits are sent only with the change that shows them', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    expect(await tryToPay(emulator, 'rent')).toBe(201)
    const { page } = await visit({ emulator, at: '/what-if/r1' })
    await page.getByRole('radio', { name: 'The request is different' }).check()
    await page.getByRole('textbox', { name: /^Key/ }).fill('another-key')
    await page.getByRole('radio', { name: 'The rails are offline' }).check()
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches').first().waitFor()
    const [, fork = ''] = /what-if\/r1\/([\w-]+)/.exec(page.url()) ?? []
    const [sent] = (await emulator.controlOf(fork).requests.list()).data
    expect(sent?.idempotency_key).toBe('rent')
  })

  test('later requests are sent to the fork too, with the payments of the fork', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    await emulator.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
    const send = async (method: string, path: string, body?: object, key = '') => {
      const answer = await fetch(`${emulator.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${emulator.token}`,
          ...(body && { 'content-type': 'application/json' }),
          ...(key !== '' && { 'x-idempotency-key': key }),
          connection: 'close',
        },
        ...(body && { body: JSON.stringify(body) }),
      }).catch(() => null)
      return answer?.ok ? ((await answer.json()) as { data: { id: string } }).data : null
    }
    expect(await tryToPay(emulator, 'rent')).toBeNull()
    expect(await tryToPay(emulator, 'power')).toBe(201)
    const [power] = (await emulator.control.payments.list()).data
    await send('GET', `/api/payments/${power?.id}`)
    const url = 'https://hooks.example.com/'
    await send('POST', '/api/webhooks/subscriptions', { url, events: ['payment.completed'], headers: { 'X-Key': 's' } })
    expect(await tryToPay(emulator, 'water')).toBe(201)

    const { page, complaints } = await visit({ emulator, at: '/what-if/r1' })
    await page.getByRole('radio', { name: 'The request is different' }).check()
    await page
      .locator('textarea')
      .fill(JSON.stringify({ source_account_id: emulator.accounts()[0]?.id, recipient_phone: '87000001', amount: 100 }))
    await page.getByRole('checkbox', { name: 'Then send the requests after it' }).check()
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches').waitFor()
    await page.getByText('The fork got 3 later requests as they were sent here.').waitFor()
    await page.getByText('1 was left out').waitFor()

    const [, fork = ''] = /what-if\/r1\/([\w-]+)/.exec(page.url()) ?? []
    const log = (await emulator.controlOf(fork).requests.list()).data
    expect(log.map(({ status }) => status)).toEqual([201, 200, 201, 201])
    const made = (await emulator.controlOf(fork).payments.list()).data
    expect(made.map(({ idempotency_key }) => idempotency_key)).toEqual(['water', 'power', 'rent'])
    expect(log[1]?.path).toBe(`/api/payments/${made[1]?.id}`)
    expect(made[1]?.id).not.toBe(power?.id)
    expect(await page.locator('.what-if-later').count()).toBe(0)
    // Without the subscription, the last payment causes no delivery.
    const removed = (await rowsOf(page)).filter((row) => /Removed/.test(row))
    expect(removed.filter((row) => !/subscriptions|payment\.completed/.test(row))).toEqual([])
    expect(await available(emulator, `/w/${fork}`)).toBe((await available(emulator)) + amount - 100)
    expect(complaints).toEqual([])
  })

  test('by keyboard: lose the answer, from the timeline of a payment', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    const { page } = await visit({ emulator })
    expect(await tryToPay(emulator, 'rent')).toBe(201)
    await page.locator('[data-row]').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'What if …' }).first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('radio').first().waitFor()
    await expect.poll(() => focused(page)).toBe('What if')
    await tabTo(page, 'The payment fails')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'Go')
    await page.keyboard.press('Enter')

    await page.locator('.branches').first().waitFor()
    await expect.poll(() => focused(page)).toBe('The answer is lost')
    const rows = await rowsOf(page)
    expect(rows.filter((row) => row.includes('lost'))).toHaveLength(1)
    expect(await page.getByText('All balances are the same.').count()).toBe(1)

    await tabTo(page, 'Delete the fork')
    await page.keyboard.press('Enter')
    await page.getByRole('radio').first().waitFor()
    expect(page.url()).toMatch(/#\/what-if\/r1\?payment=/)
  })

  test('later payments are listed separately, and named as a part of the difference', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    for (const key of ['rent', 'power']) expect(await tryToPay(emulator, key)).toBe(201)
    const { page } = await visit({ emulator, at: '/what-if/r1' })
    await page.getByRole('radio', { name: 'Nothing changes' }).check()
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches').first().waitFor()
    expect((await rowsOf(page)).every((row) => /^=\s*Same/.test(row))).toBe(true)
    await page.getByText('Later payments in default are part of this difference').waitFor()
    await page.getByText('8 more rows, in default only').click()
    await page.locator('.what-if-later').getByText('r2').waitFor()
  })

  test('each change makes its difference', async () => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    expect(await tryToPay(emulator, 'rent')).toBe(201)
    const { page, complaints } = await visit({ emulator })
    const rowsAfter = async (change: string) => {
      await page.goto(`${emulator.baseUrl}/_emulator/#/what-if/r1`)
      await page.getByRole('radio', { name: change }).check()
      await page.getByRole('button', { name: 'Go' }).click()
      await page.locator('.branches').first().waitFor()
      return (await rowsOf(page)).join('\n')
    }
    expect(await rowsAfter('The payment fails')).toMatch(/Completed[\s\S]*Failed/)
    expect(await rowsAfter('The rails are offline')).toContain('Unavailable')
    expect(await rowsAfter('The account has less money')).toMatch(/422/)
    await rowsAfter('Nothing changes')
    expect(await page.getByText('Nothing differs.').count()).toBe(1)
    expect(complaints.filter((complaint) => !/422/.test(complaint))).toEqual([])
  })

  test('a step of a payment can go otherwise', async () => {
    const emulator = await startUntilEnd({ settle: 'manual', moments: 16 })
    expect(await tryToPay(emulator, 'rent')).toBe(201)
    await emulator.control.clock.runUntilIdle()
    const { page } = await visit({ emulator })
    await page.locator('[data-row]').first().click()
    await page.locator('.status .what-if-link').last().click()
    await page.getByRole('radio', { name: 'The payment fails' }).check()
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches').first().waitFor()
    expect((await rowsOf(page)).join('\n')).toMatch(/Completed[\s\S]*Failed/)
  })

  test('a request before moments were saved says so, and leads to one that is', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    expect(await tryToPay(emulator, 'rent')).toBe(201)
    const { page } = await visit({ emulator, at: '/what-if/r1' })
    await page.getByRole('alert').getByText('The state before r1 was not saved.').waitFor()
    await page.getByRole('link', { name: 'Fork there' }).click()
    await page.getByRole('radio', { name: 'Nothing changes' }).check()
    await page.getByRole('button', { name: 'Go' }).click()
    await page.locator('.branches').first().waitFor()
    expect((await rowsOf(page)).join('\n')).toContain('its key was known')
  })

  test.each([
    ['light', 'en-GB', 1280],
    ['dark', 'en-GB', 1280],
    ['light', 'es-CR', 320],
    ['dark', 'es-CR', 320],
  ] as const)('is readable for assistive technology: %s, %s, %i pixels', async (colorScheme, locale, width) => {
    const emulator = await startUntilEnd({ settle: 'instant', moments: 16 })
    await payTwice(emulator)
    const { page } = await visit({ emulator, colorScheme, locale, viewport: { width, height: 800 } })
    const check = async () => {
      expect(await overflow(page)).toBe(0)
      const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
      expect(violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    }
    await page.goto(`${emulator.baseUrl}/_emulator/#/what-if`)
    await page.locator('.what-if-recent').waitFor()
    await check()
    await page.goto(`${emulator.baseUrl}/_emulator/#/what-if/r2`)
    await page.getByRole('radio').last().check()
    await page.getByRole('textbox').nth(1).fill('rent-try-1')
    await check()
    await page.locator('button.primary').click()
    await page.locator('.branches').first().waitFor()
    await check()
  })
})
