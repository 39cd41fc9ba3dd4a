import { expect, onTestFinished, test } from 'vitest'
import { Api } from './api.ts'
import { aKey, everything, open, paid, undisturbed } from './fixture.ts'
import type { World } from './target.ts'
import { openWorld } from './targets/inject.ts'

/** A world in which a payment ends right after the first answer to a request whose URL contains `part`. */
async function restless(part: string) {
  const world = await openWorld({ settle: 'manual' })
  onTestFinished(() => world.close())
  const quiet = new Api(world, new Set())
  let isDue = true
  const exchange: World['exchange'] = async (wire) => {
    const reply = await world.exchange(wire)
    if (isDue && wire.method === 'GET' && wire.url.includes(part)) {
      isDue = false
      await world.control?.advanceClock(60_000)
    }
    return reply
  }
  const [colones] = (await quiet.get('/api/accounts')).body.data.data
  const purse = await open(quiet, 'CRC')
  await paid(quiet, { source_account_id: colones.id, amount: 100, recipient_iban: purse.iban }, aKey())
  return { api: new Api({ ...world, exchange }, new Set()), purse }
}

test.each(['/api/accounts', '/api/payments/history'])(
  'accounts and payments are of one moment, also when a payment ends after %s is read',
  async (path) => {
    const { api, purse } = await restless(path)

    const { accounts, payments } = await everything(api)

    const credits = payments.filter(({ transfer_type }) => transfer_type === 'credit').length
    expect(accounts.find(({ id }) => id === purse.id)?.balance.value).toBe(100 * credits)
  },
)

test('a reading is repeated when what is around it moved', async () => {
  const { api, purse } = await restless('/balance')
  const account = async () => (await api.get(`/api/accounts/${purse.id}`)).body.data

  const [around, balance] = await undisturbed(account, () => api.get(`/api/accounts/${purse.id}/balance`))

  expect(balance.body.data.balance).toBe(around.balance.value)
})
