import { describe, expect } from 'vitest'
import { aKey, ibanOf, paymentOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

export function faultCases(suite: Suite): void {
  describe('faults of the emulator itself', () => {
    suite.within('are 500 in the endpoint’s words, give nothing away, and are reported', async () => {
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
