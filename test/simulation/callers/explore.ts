import { demo } from '../../../emulator/worlds/seed.ts'
import type { Client } from '../../../src/client/client.ts'
import { ApiError } from '../../../src/errors/service_errors.ts'
import type { Random } from '../random.ts'

// Requests of a caller that move no money, to most endpoints, with right and wrong values.

/** Sends `count` requests, one after another. Refusals of the service are not errors. */
export async function explore(client: Client, random: Random, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await random
      .pick(questions)(client, random)
      .catch((error) => {
        if (!(error instanceof ApiError)) throw error
      })
  }
}

type Question = (client: Client, random: Random) => Promise<unknown>

const accounts = [...demo.accounts.map(({ id }) => id), demo.neighbour.account.id, 'none', demo.user.id]
const phones = ['87000001', '87000006', '88001234', '88005678', '87009999', '123', '+506 8700-0002']
const ibans = ['CR76099910000000000001', 'CR00000000000000000000', 'CR32099920000000000002', 'none']

const questions: readonly Question[] = [
  (client) => client.call('user.get'),
  (client, random) =>
    client.call('accounts.list', { query: { per_page: random.integer(1, 3), page: random.integer(1, 2) } }),
  (client, random) => client.call('accounts.get', { params: { id: random.pick(accounts) } }),
  (client, random) => client.call('accounts.balance', { params: { id: random.pick(accounts) } }),
  (client, random) => client.call('phone.information', { params: { phone: random.pick(phones) } }),
  (client, random) => client.call('iban.information', { params: { iban: random.pick(ibans) } }),
  (client) => client.call('payments.serviceStatus'),
  async (client) => {
    await client.call('fx.upstream', { params: { provider: 'upstream' } })
    await client.call('fx.rates')
  },
  (client, random) =>
    client.call('payments.validate', {
      headers: { 'X-Idempotency-Key': `check-${random.integer(1, 5)}` },
      body: {
        source_account_id: random.pick(accounts),
        amount: random.pick([1, 150_025, 90_000_000_000]),
        recipient_phone: random.pick(phones),
      },
    }),
  async (client, random) => {
    const { data } = await client.call('payments.history', { query: { per_page: random.integer(1, 5) } })
    const id = data.length > 0 ? random.pick(data).id : undefined
    if (id) await client.call('payments.get', { params: { id } })
  },
  async (client, random) => {
    const { data } = await client.call('webhooks.list')
    const id = data.length > 0 ? random.pick(data).id : undefined
    if (!id) return
    const change = random.pick([
      () => client.call('webhooks.get', { params: { id } }),
      () => client.call('webhooks.suspend', { params: { id }, body: { reason: 'A pause' } }),
      () => client.call('webhooks.resume', { params: { id } }),
    ])
    await change()
  },
  // A request of a careless program.
  (client, random) =>
    client.raw({
      method: 'POST',
      path: '/api/payments',
      headers: { 'X-Idempotency-Key': random.pick(['a', 'b', '']) || 'c' },
      body: random.pick([{}, { amount: -1 }, { amount: 'one', source_account_id: accounts[0] }, []]),
    }),
  (client, random) =>
    client.raw({ method: random.pick(['GET', 'DELETE', 'PUT']), path: random.pick(['/api/none', '/api/user']) }),
]
