import { describe, expect, test } from 'vitest'
import { type Payment, rateLimitHeaders } from '../../../../src/contract/index.ts'
import { paid, paymentOf, phoneOf, undisturbed } from '../../fixture.ts'
import { nobodysId } from '../../requests.ts'
import type { Suite } from '../../suite.ts'

const notUuids = ['nonsense', '0190', `${nobodysId}x`, '*']

export function readingCases(suite: Suite): void {
  describe('the interface: reading', () => {
    test.each(['/api/user', '/api/accounts', '/api/payments/history', '/api/fx/rates'])(
      'GET %s answers in the envelope with every field',
      async (path) => {
        expect((await suite.api.get(path)).status).toBe(200)
      },
    )

    test('an account of the list is read by its id, with the same balance', async () => {
      const { id, iban } = suite.fixture.colones
      const read = async (tail = '') => (await suite.api.get(`/api/accounts/${id}${tail}`)).body.data

      const [account, shown] = await undisturbed(read, () => read('/balance'))

      expect(account).toMatchObject({ id, iban })
      expect(shown).toMatchObject({ iban, currency: account.balance.currency, balance: account.balance.value })
    })

    test.each(['CRC', 'USD'])('an account that is opened in %s is read by its id', async (currency) => {
      const { status, body } = await suite.api.post('/api/accounts', { currency })

      expect(status).toBe(201)
      const { id, iban } = body.data
      expect(body.data).toMatchObject({ iban: expect.stringMatching(/^CR\d{20}$/), currency })
      const account = (await suite.api.get(`/api/accounts/${id}`)).body.data
      expect(account).toMatchObject({ id, iban, balance: { value: 0, currency } })
    })

    test('service status is for everybody', async () => {
      const { status, body } = await suite.api.get('/api/payments/service-status', { token: null })

      expect(status).toBe(200)
      const online = [body.data.pin_service, body.data.sinpe_service].filter((rail) => rail.available).length
      expect(body.data.overall_status).toBe(['offline', 'partial', 'online'][online])
    })

    test('the rates have the service’s spread on both sides, the upstream rates have not', async ({ skip }) => {
      const { status } = await suite.api.get('/api/fx/upstream-rates')
      skip(status === 404 && !suite.world.emulated, 'the path has the name of another rate provider')
      const read = (path: string) => async () => (await suite.api.get(path)).body.data

      const [upstream, ours] = await undisturbed(read('/api/fx/upstream-rates'), read('/api/fx/rates'))

      expect(ours.bid).toBeLessThan(upstream.bid)
      expect(ours.ask).toBeGreaterThan(upstream.ask)
    })

    test('the user’s own account is found under its IBAN', async () => {
      const { iban, owner_name, document_number, document_type } = suite.fixture.colones

      const { body } = await suite.api.get(`/api/iban/information/${iban}`)

      expect(body.data).toMatchObject({ iban, name: owner_name, document_number, document_type })
    })

    test('of a phone has no document type', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')

      const { status, body } = await suite.api.get(`/api/phone/information/${phoneOf('Carlos Jiménez Mora')}`)

      expect(status).toBe(200)
      expect(body.data.document_type).toBeNull()
    })

    test('a phone is found with 506 before it as without', async ({ skip }) => {
      skip(!suite.fixture.demo, 'needs the demo’s recipients')
      const phone = phoneOf('Carlos Jiménez Mora')

      const { status, body } = await suite.api.get(`/api/phone/information/506${phone}`)

      expect(status).toBe(200)
      const { phone_number: _, ...holder } = (await suite.api.get(`/api/phone/information/${phone}`)).body.data
      expect(body.data).toMatchObject(holder)
    })

    test.each([
      [`/api/accounts/${nobodysId}`, 404],
      [`/api/accounts/${nobodysId}/balance`, 404],
      [`/api/payments/${nobodysId}`, 404],
      ['/api/iban/information/CR37012345678901234567', 404],
      ['/api/iban/information/CR', 422],
      ['/api/phone/information/1', 422],
      ...['/api/accounts', '/api/payments/history'].flatMap((path) =>
        ['per_page=1001', 'per_page=0', 'per_page=-1', 'per_page=ten', 'per_page=1.5', 'page=0', 'page=-1'].map(
          (query) => [`${path}?${query}`, 422] as const,
        ),
      ),
      ['/api/payments/history?channel=cash', 422],
      ['/api/payments/history?channel=PIN', 422],
      ['/api/payments/history?transfer_type=refund', 422],
      ...notUuids.flatMap((id) =>
        [`/api/accounts/${id}`, `/api/accounts/${id}/balance`, `/api/payments/${id}`].map(
          (path) => [path, 422] as const,
        ),
      ),
    ] as const)('GET %s is %s', async (path, status) => {
      expect((await suite.api.get(path)).status).toBe(status)
    })
  })

  describe('the interface: limits', () => {
    const [limit, remaining, reset] = Object.values(rateLimitHeaders).map((name) => name.toLowerCase()) as [
      string,
      string,
      string,
    ]

    test('answers carry the rate limit', async () => {
      const { headers } = await suite.api.get('/api/user')

      expect(Number(headers[limit])).toBeGreaterThan(0)
      expect(Number(headers[remaining])).toBeLessThan(Number(headers[limit]))
      expect(headers[reset]).toMatch(/\d/)
    })

    test('each request leaves fewer', async () => {
      const left: number[] = []
      for (let count = 0; count < 5; count += 1) {
        left.push(Number((await suite.api.get('/api/user')).headers[remaining]))
      }

      // A window may end between two requests: the number of remaining requests then rises, but only once.
      expect(left.filter((now, at) => now < Number(left[at - 1])).length, left.join(', ')).toBeGreaterThanOrEqual(3)
    })

    test.each([
      [404, `/api/accounts/${nobodysId}`],
      [422, '/api/payments/nonsense'],
    ])('an error of %i carries the rate limit too', async (status, path) => {
      const answer = await suite.api.get(path)

      expect(answer.status).toBe(status)
      expect(Number(answer.headers[limit])).toBeGreaterThan(0)
      expect(Number(answer.headers[remaining])).toBeLessThan(Number(answer.headers[limit]))
      expect(answer.headers[reset]).toMatch(/\d/)
    })
  })

  describe('the interface: lists', () => {
    const history = async (query: Readonly<Record<string, string | number>>) =>
      (await suite.api.get('/api/payments/history', { query: { per_page: 1000, ...query } })).body.data
        .data as readonly Payment[]

    test.each(['/api/accounts', '/api/payments/history'])(
      'GET %s: nothing is before the first page, nothing after the last',
      async (path) => {
        const page = async (number: number) =>
          (await suite.api.get(path, { query: { per_page: 1, page: number } })).body.data

        const first = await page(1)
        const last = await page(first.last_page)

        expect(first.prev_page_url).toBeNull()
        expect(last.next_page_url).toBeNull()
        if (first.last_page === 1) return
        expect(first.next_page_url).toMatch(/[?&]page=2\b/)
        expect(first.links.filter(({ active }: { active: boolean }) => active)).toMatchObject([{ page: 1 }])
      },
    )

    test('each payment of the history has the address that its channel goes by', async () => {
      for (const { channel, transfer_type, payee, id } of await history({})) {
        if (transfer_type !== 'debit') continue
        const address = channel === 'pin' ? payee.iban : payee.phone_number
        expect(address, id).toMatch(channel === 'pin' ? /^CR\d{20}$/ : /^(506)?[2678]\d{7}$/)
      }
    })

    test('filtered by a payee’s document the history has payments to that payee', async () => {
      const order = () => ({
        source_account_id: suite.fixture.colones.id,
        amount: 1,
        recipient_iban: suite.fixture.savings.iban,
      })
      const [any = await paymentOf(suite.api, (await paid(suite.api, order())).id)] = await history({ per_page: 1 })
      const { document_number } = any.payee

      const found = await history({ recipient_document_number: document_number })

      expect(found.map(({ id }) => id)).toContain(any.id)
      expect(new Set(found.map(({ payee }) => payee.document_number))).toEqual(new Set([document_number]))
    })
  })
}
