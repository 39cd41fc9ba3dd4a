import { describe, expect } from 'vitest'
import { SignedOut } from '../program/failures.ts'
import { consent } from './prepared.ts'
import { type Fixtures, hours, minutes, payees, test } from './shop_test.ts'

const { hardware } = payees
const amount = { value: 110_000, currency: 'CRC' } as const
const invoice = {
  payee: { phone: hardware.phone },
  holder: hardware.name,
  amount,
  description: 'Invoice 4711, January',
}

describe('the owner', () => {
  test('signs in at the bank, and the shop may use the accounts', async ({ world, open }) => {
    const shop = await open({}, { signedIn: false })
    await expect(shop.start()).rejects.toThrow(SignedOut)
    await consent(shop.signIn(), world)
    await shop.start()
    expect(shop.books.account('CRC').opening_balance).toBe(250_000_000)
  })

  test('grants less than the shop needs, and it says what is missing', async ({ world, open }) => {
    const shop = await open({}, { signedIn: false })
    await consent(shop.signIn(), { user: world.user, scopes: ['read-accounts', 'manage-webhooks'] })
    await shop.start()
    const { id } = await shop.payouts.paySupplier(invoice)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'held', reason: 'Invalid scope(s) provided.' })
    await consent(shop.signIn(), world)
    shop.payouts.release(id)
    await shop.payouts.run()
    expect(shop.payouts.get(id)).toMatchObject({ status: 'sent' })
  })

  test('is not asked again when the token expires between two payouts', async ({ world, clock, shop }) => {
    for (const number of [4711, 4712, 4713]) {
      await shop.payouts.paySupplier({ ...invoice, description: `Invoice ${number}, January` })
    }
    await world.control.faults.add({ endpoint: 'payments.create', status: 429, retry_after: 3600, after: 1 })
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.all().map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  })

  test('is not asked again when two workers find the token expired at once', async ({ world, clock, open, shop }) => {
    const database = shop.database
    const other = await open({ database })
    await clock.advance(hours(2))
    const answers = await Promise.all([shop, other, shop, other].map(({ bank }) => bank.get('/api/accounts')))
    expect(answers).toHaveLength(4)
    const valid = (await world.control.tokens.list()).filter(
      ({ expires_at }) => Date.parse(expires_at ?? '') > clock.now(),
    )
    expect(valid).toHaveLength(1)
  })

  test('signs in again when the permission was stolen; payouts wait until then', async ({
    world,
    prepared,
    clock,
    shop,
  }) => {
    const { id } = await shop.payouts.paySupplier(invoice)
    await clock.advance(hours(2))
    await shop.bank.get('/api/accounts')
    await steal({ world, prepared })
    await expect(shop.payouts.run()).rejects.toThrow(SignedOut)
    expect(shop.payouts.get(id)).toMatchObject({ status: 'queued', payment_id: null })
    await consent(shop.signIn(), world)
    await clock.advance(minutes(1))
    await shop.payouts.run()
    await clock.advance(minutes(1))
    expect(shop.payouts.get(id).status).toBe('completed')
  })
})

/** Uses an old refresh token of the shop: the bank then ends the whole permission. */
async function steal({ world, prepared }: Pick<Fixtures, 'world' | 'prepared'>): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = prepared
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, client_secret, refresh_token })
  expect((await fetch(`${world.authUrl}/oauth/token`, { method: 'POST', body })).status).toBe(400)
}
