import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ibanFault } from '../../../src/contract/index.ts'
import { aKey, open, paid, undisturbed } from '../fixture.ts'
import type { Suite } from '../suite.ts'

export function accountCases(suite: Suite): void {
  describe('user', () => {
    test('the user behind the token is shown', async () => {
      const { status, body } = await suite.api.get('/api/user')

      expect(status).toBe(200)
      expect(body.data.email).toContain('@')
    })
  })

  describe('accounts', () => {
    test.each(['CRC', 'USD'] as const)(
      'a new account in %s is active, is empty and belongs to the user',
      async (currency) => {
        const user = (await suite.api.get('/api/user')).body.data

        const created = await suite.api.post('/api/accounts', { currency })

        expect(created.status).toBe(201)
        expect(created.body.data.currency).toBe(currency)
        const { body } = await suite.api.get(`/api/accounts/${created.body.data.id}`)
        expect(body.data).toMatchObject({ status: 'active', owner_name: user.name, balance: { value: 0, currency } })
        expect(body.data).toMatchObject({ iban: created.body.data.iban, created_at: created.body.data.created_at })
      },
    )

    test.each([
      ['CRC', '1'],
      ['USD', '2'],
    ])('the IBAN of an account in %s is valid and belongs to no bank', async (currency, digit) => {
      const { iban } = (await suite.api.post('/api/accounts', { currency })).body.data

      expect(ibanFault(iban)).toBeNull()
      expect(iban.slice(4, 9)).toBe(`0999${digit}`)
    })

    test('no two accounts have the same id or IBAN', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => suite.api.post('/api/accounts', { currency: 'CRC' })),
      )

      const created = answers.map(({ body }) => body.data)
      expect(new Set(created.map(({ id }) => id)).size).toBe(20)
      expect(new Set(created.map(({ iban }) => iban)).size).toBe(20)
    })

    test('creating an account leaves out what it does not know', async () => {
      const body = { currency: 'CRC', balance: 1_000_000, status: 'closed', __proto__: null, nested: { deep: [1] } }

      const created = await suite.api.post('/api/accounts', body)

      expect(created.status).toBe(201)
      const account = (await suite.api.get(`/api/accounts/${created.body.data.id}`)).body.data
      expect(account).toMatchObject({ status: 'active', balance: { value: 0 } })
    })

    test('account and balance endpoints agree', async () => {
      const { id, iban } = suite.fixture.colones
      const read = async (tail = '') => (await suite.api.get(`/api/accounts/${id}${tail}`)).body.data

      const [{ balance }, shown] = await undisturbed(read, () => read('/balance'))

      expect(shown).toEqual({ iban, currency: balance.currency, balance: balance.value, formatted: balance.formatted })
    })

    test('an id is taken in either case', async () => {
      const { id } = suite.fixture.colones

      expect((await suite.api.get(`/api/accounts/${id.toUpperCase()}`)).body.data.id).toBe(id)
    })

    test.each(['', '/balance'])('an account nobody has is 404 (GET /api/accounts/{id}%s)', async (tail) => {
      const answer = await suite.api.get(`/api/accounts/${randomUUID()}${tail}`)

      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('Account not found')
    })

    suite.steered.each(['', '/balance'])(
      'another user’s account gets the 404 of a missing account (GET /api/accounts/{id}%s)',
      async (tail) => {
        const { api, control } = suite
        const { token } = await control.stranger()
        const { id } = (await api.post('/api/accounts', { currency: 'CRC' }, { token })).body.data

        const answer = await api.get(`/api/accounts/${id}${tail}`)

        expect(answer.status).toBe(404)
        expect(answer.body).toEqual((await api.get(`/api/accounts/${randomUUID()}${tail}`)).body)
      },
    )

    suite.steered('an account shows each of its possible statuses', async () => {
      const { id } = await open(suite.api, 'CRC')

      for (const status of ['inactive', 'closed', 'active'] as const) {
        await suite.control.setAccountStatus(id, status)
        expect((await suite.api.get(`/api/accounts/${id}`)).body.data.status).toBe(status)
      }
    })

    test('the oldest account comes first in the list, the newest last', async () => {
      const older = await open(suite.api, 'CRC')
      const newer = await open(suite.api, 'USD')

      const list = (await suite.api.get('/api/accounts', { query: { per_page: 1000 } })).body.data.data

      expect(list.slice(-2)).toEqual([older, newer])
    })

    test('the amount held for a payment is subtracted from the balance at once', async () => {
      const { colones, savings } = suite.fixture
      const before = (await suite.api.get(`/api/accounts/${colones.id}/balance`)).body.data.balance

      await paid(suite.api, { source_account_id: colones.id, amount: 7, recipient_iban: savings.iban }, aKey())

      const after = (await suite.api.get(`/api/accounts/${colones.id}/balance`)).body.data.balance
      expect(after).toBeLessThanOrEqual(before - 7)
    })
  })
}
