import { describe, expect, test } from 'vitest'
import type { Account, Payment } from '../../../src/contract/index.ts'
import { aKey, atRest, open, paid, paymentOf } from '../fixture.ts'
import { Undecided } from '../not_applicable.ts'
import type { Suite } from '../suite.ts'

/** Sums that must be right at every service, whatever the service does where the interface leaves a choice. */
export function sumCases(suite: Suite): void {
  const pay = (amount: number, iban: string) =>
    paid(suite.api, { source_account_id: suite.fixture.colones.id, amount, recipient_iban: iban })

  describe('pages', () => {
    test('of the accounts are the whole list, each row once', async ({ skip }) => {
      const { total } = (await suite.api.get('/api/accounts')).body.data
      skip(total < 2, 'needs two accounts')

      await walk('/api/accounts', total)
    })

    test('of the history are the whole list, each row once', async () => {
      for (const amount of [1, 2, 3]) await ended(await pay(amount, suite.fixture.savings.iban))
      const { total } = (await suite.api.get('/api/payments/history')).body.data
      expect(total).toBeGreaterThanOrEqual(3)

      await walk('/api/payments/history', total)
    })

    /** Checks that a list, read in about three pages, has the same rows as in one page. */
    async function walk(path: string, total: number): Promise<void> {
      const perPage = Math.min(1000, Math.ceil(total / 3))
      const last = Math.ceil(total / perPage)
      const rows: { readonly id: string }[] = []
      for (let page = 1; page <= last; page += 1) {
        const { data } = (await suite.api.get(path, { query: { page, per_page: perPage } })).body
        if (data.total > total) throw new Undecided('The list grew while it was read')
        const length = Math.min(perPage, total - rows.length)
        const [from, to] = [rows.length + 1, rows.length + length]
        expect({ ...data, data: data.data.length }).toMatchObject({
          current_page: page,
          data: length,
          from,
          to,
          last_page: last,
          per_page: perPage,
          total,
        })
        rows.push(...data.data)
      }
      expect(new Set(rows.map(({ id }) => id)).size).toBe(total)
      if (total > 1000) return
      const whole = (await suite.api.get(path, { query: { per_page: 1000 } })).body.data.data
      expect(whole.map(({ id }: { id: string }) => id)).toEqual(rows.map(({ id }) => id))
    }
  })

  describe('balances', () => {
    const balanceOf = async (id: string): Promise<readonly number[]> => [
      (await suite.api.get(`/api/accounts/${id}/balance`)).body.data.balance,
      (await suite.api.get(`/api/accounts/${id}`)).body.data.balance.value,
      ...(await suite.api.get('/api/accounts', { query: { per_page: 1000 } })).body.data.data
        .filter((account: Account) => account.id === id)
        .map(({ balance }: Account) => balance.value),
    ]

    test('a payee has what was paid once the payment has completed, and no more', async () => {
      const purse = await open(suite.api, 'CRC')
      expect(await balanceOf(purse.id)).toEqual([0, 0, 0])

      const { status } = await ended(await pay(100, purse.iban))

      if (status !== 'completed') throw new Undecided(`The payment ended as ${status}`)
      expect(await balanceOf(purse.id)).toEqual([100, 100, 100])
    })

    test('a payment costs what its validation said', async () => {
      const { colones, savings } = suite.fixture
      const order = { source_account_id: colones.id, amount: 100, recipient_iban: savings.iban }
      const { body } = await suite.api.validate(order, aKey())

      const { status, fee } = await ended(await paid(suite.api, order))

      if (status !== 'completed' || fee === null) throw new Undecided(`The payment ended as ${status}, its fee unknown`)
      expect(fee).toEqual(body.data.fee)
    })
  })

  async function ended({ id }: { readonly id: string }): Promise<Payment> {
    await suite.world.control?.advanceClock(60_000)
    return atRest(
      () => paymentOf(suite.api, id),
      (payment) => [payment],
    )
  }
}
