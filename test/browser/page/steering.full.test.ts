import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import type { Emulator } from '../../../emulator/index.ts'
import { newFolder } from '../../emulator/store/folder.ts'
import { serve } from '../../support/server.ts'
import { describeInBrowser } from '../chromium.ts'
import { overflow } from '../measures.ts'
import { closeBrowser, pay, startUntilEnd, subscribe, tabTo, visit } from './visit.ts'

afterAll(closeBrowser)

/** Moves with Tab to the field with this label, replaces its text, and presses Enter. */
async function enter(page: Page, label: string, value: string): Promise<void> {
  await tabTo(page, label)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(value)
  await page.keyboard.press('Enter')
}

/** Moves with Tab to the button or link with this text, and presses Enter. */
async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Sends a payment, whatever its result. Returns the status of the answer, or null without an answer. */
async function tryToPay(emulator: Emulator): Promise<number | null> {
  const [account] = emulator.accounts()
  return fetch(`${emulator.baseUrl}/api/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.token}`,
      'content-type': 'application/json',
      'x-idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ source_account_id: account?.id, recipient_phone: '87000001', amount: 100 }),
  }).then(
    ({ status }) => status,
    () => null,
  )
}

const noticed = (page: Page, words: string): Promise<void> => page.locator('.notice').getByText(words).waitFor()

describeInBrowser('by keyboard', () => {
  test('accounts: sets a balance, receives a credit, and follows a payment', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const id = emulator.accounts()[0]?.id
    const { page, complaints } = await visit({ emulator, at: '/accounts' })
    await page.locator('[data-row]').first().waitFor()
    do await page.keyboard.press('j')
    while ((await page.evaluate('document.activeElement.dataset.row')) !== id)
    await page.keyboard.press('Enter')
    const balance = page.locator('.detail .payment-amount')
    await enter(page, 'Balance (CRC)', '1000')
    await expect.poll(() => balance.textContent()).toContain('1,000.00')
    await enter(page, 'Amount (CRC)', '250.5')
    await expect.poll(() => balance.textContent()).toContain('1,250.50')
    await pay(emulator, { amount: 25_050 })
    await expect.poll(() => balance.textContent()).toContain('1,000.00')
    expect(await page.locator(`tr:has([data-row="${id}"])`).textContent()).toContain('1,000.00')
    await page.getByText('The ledger balances').waitFor()

    await press(page, 'Make inactive')
    await noticed(page, 'Account changed')
    expect((await emulator.control.accounts.get({ id: id ?? '' })).status).toBe('inactive')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.detail').count()).toBe(0)
    const before = await page.locator('[data-row]').count()
    await press(page, 'Open an account')
    await expect.poll(() => page.locator('[data-row]').count()).toBe(before + 1)
    expect((await emulator.control.tokens.list()).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  test('accounts: after a restore of another world, an account opens for a user of that world', async () => {
    const emulator = await startUntilEnd()
    await emulator.control.worlds.create({ name: 'other', from: { seed: { users: [{ name: 'Eva Mora' }] } } })
    await emulator.controlOf('other').snapshots.create({ name: 'of-eva' })
    const { page } = await visit({ emulator, at: '/accounts' })
    await page.getByRole('button', { name: 'Open an account' }).waitFor()
    await emulator.control.snapshots.restore({ name: 'of-eva' })
    await page.getByRole('combobox', { name: 'User' }).getByText('Eva Mora').waitFor({ state: 'attached' })
    await press(page, 'Open an account')
    await noticed(page, 'Account opened')
  })

  test('worlds: a snapshot that can’t be used can only be deleted, and does not hide the others', async () => {
    const worlds = newFolder()
    const first = await startUntilEnd({ worlds })
    for (const name of ['bad', 'good']) await first.control.snapshots.create({ name })
    await first.close()
    writeFileSync(join(worlds, 'snapshots', 'bad.sqlite'), 'dear diary')
    const { page } = await visit({ emulator: await startUntilEnd({ worlds }), at: '/worlds' })
    await page.getByText('bad.sqlite was not made by payctl emulate').waitFor()
    expect(await page.getByRole('button', { name: 'Restore' }).allTextContents()).toEqual(['Restore good'])
    await page.getByRole('button', { name: 'Delete bad' }).click()
    await page.getByText('was not made by').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Restore good' }).waitFor()
  })

  test('accounts: the search opens the last of many accounts', async () => {
    const emulator = await startUntilEnd()
    const headers = { authorization: `Bearer ${emulator.token}`, 'content-type': 'application/json' }
    const open = () =>
      fetch(`${emulator.baseUrl}/api/accounts`, { method: 'POST', headers, body: '{"currency":"CRC"}' })
    for (let count = 0; count < 110; count++) expect((await open()).status).toBe(201)
    const { id = '' } = (await emulator.control.accounts.list({ per_page: 1000 })).data.at(-1) ?? {}
    const { page } = await visit({ emulator, at: `/search?q=${id}` })
    await page.locator('.detail').getByText(id).waitFor({ timeout: 10_000 })
  })

  test('worlds: says that the table leaves worlds out', async () => {
    const emulator = await startUntilEnd()
    for (let count = 0; count < 101; count++) {
      const { name } = await emulator.control.worlds.create({ from: { seed: 'empty' } })
      await emulator.control.worlds.delete({ name })
    }
    const { page } = await visit({ emulator, at: '/worlds' })
    await page.getByText('Shows 100 of 102').waitFor({ timeout: 10_000 })
  })

  test('time: stops the clock, moves it, and lets it run', async () => {
    const emulator = await startUntilEnd()
    const { page, complaints } = await visit({ emulator, at: '/time' })
    await press(page, 'Stop the clock')
    await page.getByRole('button', { name: 'Let it run' }).waitFor()
    const stopped = await emulator.control.clock.get()
    expect(stopped.frozen).toBe(true)
    await press(page, '+ 1 hour')
    await noticed(page, 'Clock moved')
    const moved = await emulator.control.clock.get()
    expect(Date.parse(moved.now) - Date.parse(stopped.now)).toBe(3_600_000)

    const id = await pay(emulator)
    await press(page, 'Until nothing is due')
    await noticed(page, 'Nothing more is due')
    expect((await emulator.control.payments.get({ id })).status).toBe('completed')
    await enter(page, 'Speed', '60')
    await noticed(page, 'Speed ×60')
    await press(page, 'Let it run')
    await page.getByRole('button', { name: 'Stop the clock' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('time: the time that the field shows is sent, and refused if it is in the past', async () => {
    const emulator = await startUntilEnd({ clock: '2026-01-05T18:00:00.500Z' })
    const { page } = await visit({ emulator, at: '/time' })
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await noticed(page, 'The clock only moves forward')
  })

  test('faults: a rule is added, fires at the next payment, and another is removed', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const { page, complaints } = await visit({ emulator, at: '/faults' })
    await page.getByText('No rules yet').waitFor()
    await tabTo(page, 'What happens')
    await page.keyboard.type('Answer a payment with 500')
    await press(page, 'Add rule')
    const cells = page.locator('tbody tr').first().locator('td')
    await expect.poll(() => cells.allTextContents()).toEqual(['500', '0', '1', expect.stringContaining('Remove')])
    expect(await tryToPay(emulator)).toBe(500)
    await expect.poll(() => cells.allTextContents()).toEqual(['500', '1', '0', ''])
    expect(await tryToPay(emulator)).toBe(201)

    await press(page, 'Add rule')
    await press(page, 'Remove')
    await noticed(page, 'Rule removed')
    expect(await tryToPay(emulator)).toBe(201)
    expect(complaints).toEqual([])
  })

  test('people: a token is made, works, and is revoked', async () => {
    const emulator = await startUntilEnd()
    const { page, complaints } = await visit({ emulator, at: '/people' })
    await enter(page, 'Name of a new user', 'Ana Solís')
    await page.getByRole('rowheader', { name: 'Ana Solís' }).waitFor()
    await press(page, 'Make a token')
    const secret = await page.locator('.secret code').textContent()
    const status = async () => {
      const headers = { authorization: `Bearer ${secret}` }
      return (await fetch(`${emulator.baseUrl}/api/accounts`, { headers })).status
    }
    expect(await status()).toBe(200)
    const [made] = (await emulator.control.tokens.list()).slice(-1)
    await press(page, `Revoke ${made?.id}`)
    await noticed(page, 'Revoked')
    expect(await status()).toBe(401)
    expect(complaints).toEqual([])
  })

  test('people: an OAuth client is added and removed', async () => {
    const emulator = await startUntilEnd()
    const { page, complaints } = await visit({ emulator, at: '/people' })
    const { client_id } = await emulator.control.clients.create({
      name: 'Shop',
      redirect_uris: ['http://localhost/cb'],
    })
    await page.reload()
    await press(page, `Remove ${client_id}`)
    await noticed(page, 'Client removed')
    expect((await emulator.control.clients.list()).map((client) => client.client_id)).toEqual(['payctl'])
    expect(complaints).toEqual([])
  })

  test('worlds: forks one, restores a snapshot, and ends the fork', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const { page, complaints } = await visit({ emulator, at: '/worlds' })
    await enter(page, 'Name', 'branch')
    await page.getByRole('link', { name: 'branch' }).waitFor()
    await enter(page, 'Name of the snapshot', 'before')
    await noticed(page, 'Snapshot taken')
    await pay(emulator)
    await press(page, 'Restore before')
    await noticed(page, 'The world is as it was in the snapshot')
    expect((await emulator.control.payments.list()).data).toEqual([])

    await press(page, 'branch')
    await page.waitForURL(/\/w\/branch\/_emulator\//)
    await page.goBack()
    await page.locator('main h1').waitFor()
    await page.goto(`${emulator.baseUrl}/_emulator/#/worlds`)
    await page.getByRole('link', { name: 'branch' }).waitFor()
    await press(page, 'Delete branch')
    await page.locator('tr', { hasText: 'branch' }).getByText('Ended').waitFor()
    expect((await fetch(`${emulator.baseUrl}/w/branch/api/accounts`)).status).toBe(410)
    expect(complaints).toEqual([])
  })

  test('worlds: the same file makes a second world, and a third after a refusal', async () => {
    const emulator = await startUntilEnd()
    const { page, context, complaints } = await visit({ emulator, at: '/worlds' })
    const file = join(newFolder(), 'bug.sqlite')
    writeFileSync(file, await emulator.control.export())
    // Playwright's setInputFiles reports a change of the field even for the same file; the browser does not.
    const browser = await context.newCDPSession(page)
    const choose = async () => {
      const { root } = await browser.send('DOM.getDocument')
      const { nodeId } = await browser.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'input[type=file]' })
      await browser.send('DOM.setFileInputFiles', { nodeId, files: [file] })
    }
    await page.getByText('Import a world').waitFor()
    await choose()
    await page.getByRole('link', { name: 'w1' }).waitFor()
    await choose()
    await page.getByRole('link', { name: 'w2' }).waitFor()

    writeFileSync(file, 'no world any more')
    await choose()
    await page.locator('.notice.failed').waitFor()
    writeFileSync(file, await emulator.control.export())
    await choose()
    await expect.poll(async () => (await emulator.control.worlds.list()).total).toBe(4)
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
  })

  test('says in the language of the page that the emulator does not answer', async () => {
    const { page } = await visit({ at: '/time', locale: 'es-CR' })
    await page.route('**/_emulator/clock/advance', (route) => route.abort())
    await page.getByRole('button', { name: '+ 1 hora' }).click()
    await page.locator('.notice.failed').waitFor()
    expect(await page.locator('.notice.failed').textContent()).toContain('El emulador no responde.')
  })

  test('report: a finding opens and leads to its request', async () => {
    const emulator = await startUntilEnd()
    await fetch(`${emulator.baseUrl}/api/nothing`)
    const { page, complaints } = await visit({ emulator, at: '/report' })
    await press(page, 'Requests keep to the contract')
    await press(page, 'r1')
    await expect.poll(() => page.url()).toContain('#/requests/r1')
    expect(complaints).toEqual([])
  })
})

const steering = ['accounts', 'time', 'faults', 'people', 'worlds', 'report']

describeInBrowser('the views that steer', () => {
  test('show hostile texts as they are', async () => {
    const emulator = await startUntilEnd({ settle: 'instant' })
    const text = `</b><script>alert(1)</script><img src=x onerror=alert(2)>\u202Eevil"'`
    await emulator.control.users.create({ name: text })
    await emulator.control.registry.add({ name: text, phone: '60000009', document_number: '0109990777' })
    const { page, complaints } = await visit({ emulator, at: '/people' })
    await page.getByText(text).first().waitFor()
    await page.goto(`${emulator.baseUrl}/_emulator/#/worlds`)
    await page.locator('.view.worlds').waitFor()
    await enter(page, 'Name', text)
    await page.locator('.notice.failed').waitFor()
    await enter(page, 'Name of the snapshot', text)
    for (const view of steering) {
      await page.goto(`${emulator.baseUrl}/_emulator/#/${view}`)
      await page.locator('main h1').waitFor()
      await page.waitForTimeout(200)
      expect(await page.locator('main script, main img, main b, .notices img').count()).toBe(0)
    }
    expect(complaints.filter((complaint) => !/4\d\d/.test(complaint))).toEqual([])
  })

  test.each([
    ['light', 'en-GB', 1280],
    ['dark', 'es-CR', 360],
    ['light', 'es-CR', 320],
  ] as const)(
    'fit and are readable for assistive technology: %s, %s, %i pixels',
    async (colorScheme, locale, width) => {
      const emulator = await startUntilEnd({ settle: 'instant', chaos: { seed: 1 } })
      const receiver = await serve((_, response) => response.writeHead(500).end())
      await subscribe(emulator, receiver)
      await tryToPay(emulator)
      await fetch(`${emulator.baseUrl}/api/nothing`)
      await emulator.control.faults.add({ endpoint: 'payments.create', fault: 'lose_answer' })
      await emulator.control.users.create({ name: 'A name without any space '.replaceAll(' ', '_').repeat(4) })
      await emulator.control.worlds.create({ name: 'a-world-with-a-name-that-is-as-long-as-names-may-be'.slice(0, 48) })
      await emulator.control.worlds.create({ name: 'ended' })
      await emulator.control.worlds.delete({ name: 'ended' })
      await emulator.control.snapshots.create({ name: 'before-the-payout-of-november' })
      const { page } = await visit({ emulator, colorScheme, locale, viewport: { width, height: 800 } })
      const findings: string[] = []
      for (const at of [...steering, `accounts/${emulator.accounts()[0]?.id}`]) {
        await page.goto(`${emulator.baseUrl}/_emulator/#/${at}`)
        await page.locator('main [data-heading]').last().waitFor()
        await page.waitForTimeout(300)
        for (const summary of await page.locator('main summary').all()) await summary.click()
        if ((await overflow(page)) > 0) findings.push(`${at}: ${await overflow(page)} pixels too wide`)
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
        for (const { id, nodes } of violations) findings.push(`${at}: ${id} ${nodes.map(({ html }) => html).join(' ')}`)
      }
      expect(findings).toEqual([])
    },
  )
})
