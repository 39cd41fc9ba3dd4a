import { describe, expect } from 'vitest'
import { type Endpoint, endpoints, messageFor } from '../../../src/contract/index.ts'
import { aKey, ibanOf, paymentOf } from '../fixture.ts'
import { endpointIds, requestTo } from '../requests.ts'
import type { Suite } from '../suite.ts'

export function faultCases(suite: Suite): void {
  describe('faults on purpose', () => {
    suite.steered.each(endpointIds)(
      'each error of %s can be caused, with its own message, and then the endpoint works again',
      async (id) => {
        const { api, control, world } = await suite.own()
        const [method, path] = requestTo(id)
        const headers = { 'X-Idempotency-Key': aKey() }
        const rows: Readonly<Record<string, Endpoint>> = endpoints
        const before = (await api.request(method, path, { headers })).status
        for (const [status, message] of Object.entries(rows[id]?.errors ?? {})) {
          await control.fault(id, Number(status))

          const answer = await api.request(method, path, { headers })

          expect(answer.status).toBe(Number(status))
          if (message) expect(answer.body.message).toBe(messageFor(message, { provider: 'upstream' }))
        }
        expect((await api.request(method, path, { headers })).status).toBe(before)
        expect(world.inside?.faults ?? []).toEqual([])
      },
    )

    suite.steered('a payment that is answered 500 on purpose was not made, and its key is still good', async () => {
      const { api, control } = await suite.own()
      const [colones] = (await api.get('/api/accounts')).body.data.data
      const body = { source_account_id: colones.id, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') }
      const key = aKey()
      await control.fault('payments.create', 500)

      expect((await api.pay(body, key)).status).toBe(500)

      expect((await api.get('/api/payments/history')).body.data.total).toBe(0)
      const again = await api.pay(body, key)
      expect(again.status).toBe(201)
      expect(again.headers['idempotent-replayed']).toBeUndefined()
    })
  })

  describe('faults of the emulator itself', () => {
    suite.within('get 500 with the endpoint’s message, reveal nothing, and are reported', async () => {
      const { world, api } = await suite.start({})
      const [colones] = (await api.get('/api/accounts')).body.data.data
      const body = { source_account_id: colones.id, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') }
      const key = aKey()
      const { id } = (await api.pay(body, aKey())).body.data
      const mend = world.inside?.breakPayments()

      const answers = [
        [await api.pay(body, key), 'Payment processing failed'],
        [await api.validate(body, key), 'Payment validation failed'],
        [await api.get(`/api/payments/${id}`), 'Unable to retrieve payment details'],
      ] as const

      for (const [answer, message] of answers) {
        expect(answer.status).toBe(500)
        expect(answer.body).toEqual({ success: false, message, data: null, errors: {} })
      }
      expect(world.inside?.faults.length).toBe(3)
      mend?.()
      expect((await api.get('/api/accounts')).body.data.data[0].balance.value).toBe(colones.balance.value - 200)
    })

    suite.within('leave nothing half done: the same key then makes the one payment', async () => {
      const { world, api } = await suite.start({})
      const [colones] = (await api.get('/api/accounts')).body.data.data
      const body = { source_account_id: colones.id, amount: 100, recipient_iban: ibanOf('Carlos Jiménez Mora') }
      const key = aKey()
      const mend = world.inside?.breakPayments()
      await api.pay(body, key)
      mend?.()

      const answer = await api.pay(body, key)

      expect(answer.status).toBe(201)
      expect(answer.headers['idempotent-replayed']).toBeUndefined()
      expect((await api.get('/api/payments/history')).body.data.total).toBe(1)
      await world.control?.advanceClock(60_000)
      expect((await paymentOf(api, answer.body.data.id)).status).toBe('completed')
      expect((await world.control?.ledger())?.problems).toEqual([])
    })
  })
}
