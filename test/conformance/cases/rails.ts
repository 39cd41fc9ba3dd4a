import { describe, expect, test } from 'vitest'
import { aKey, everything, ibanOf, phoneOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

const online = { available: true, status: 'online' }
const offline = { available: false, status: 'offline' }

export function railCases(suite: Suite): void {
  describe('the rails', () => {
    test('anybody may read their status', async () => {
      for (const token of [null, 'no-such-token']) {
        const { status, body } = await suite.api.get('/api/payments/service-status', { token })
        expect(status).toBe(200)
        expect(body.data).toEqual({ pin_service: online, sinpe_service: online, overall_status: 'online' })
      }
    })

    suite.steered('an offline rail is reported, alone and together with the other', async () => {
      const { api, control } = await suite.own()
      const status = async () => (await api.get('/api/payments/service-status')).body.data

      await control.setRail('pin', false)
      expect(await status()).toEqual({ pin_service: offline, sinpe_service: online, overall_status: 'partial' })
      await control.setRail('sinpe_movil', false)
      expect(await status()).toEqual({ pin_service: offline, sinpe_service: offline, overall_status: 'offline' })
      await control.setRail('pin', true)
      expect(await status()).toEqual({ pin_service: online, sinpe_service: offline, overall_status: 'partial' })
    })

    suite.steered.each([
      ['pin', () => ({ recipient_iban: ibanOf('Carlos Jiménez Mora') })],
      ['sinpe_movil', () => ({ recipient_phone: phoneOf('Carlos Jiménez Mora') })],
    ] as const)(
      'a payment by %s while the rail is offline ends at once and holds nothing',
      async (channel, recipient) => {
        const { api, control } = await suite.own()
        await control.setRail(channel, false)
        const [colones] = (await api.get('/api/accounts')).body.data.data
        const body = { source_account_id: colones.id, amount: 100, ...recipient() }
        const key = aKey()

        const refused = await api.validate(body, aKey())
        expect(refused.status).toBe(422)
        expect(refused.body.errors).toEqual({ channel: [`The ${channel} rail is offline`] })

        const answer = await api.pay(body, key)
        expect(answer.status).toBe(201)
        expect(answer.body.data.status).toBe('service_unavailable')
        const after = await everything(api)
        expect(after.accounts[0]?.balance).toEqual(colones.balance)
        expect(after.payments[0]).toMatchObject({
          status: 'service_unavailable',
          error_message: expect.stringMatching(/\w/),
        })

        await control.setRail(channel, true)
        await control.advanceClock(60_000)
        expect(await everything(api)).toEqual(after)
        expect((await api.pay(body, key)).body).toEqual(answer.body)
        expect((await control.ledger()).problems).toEqual([])
      },
    )
  })
}
