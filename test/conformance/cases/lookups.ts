import { describe, expect, test } from 'vitest'
import { demoRegistry } from '../../emulator/demo_registry.ts'
import { ibanOf, open, phoneOf } from '../fixture.ts'
import type { Suite } from '../suite.ts'

const phones = '/api/phone/information'
const ibans = '/api/iban/information'

export function lookupCases(suite: Suite): void {
  describe('looking up an IBAN', () => {
    test('an account here is found under its IBAN, with its owner', async () => {
      const { iban, owner_name, document_number, document_type } = suite.fixture.savings

      const { status, body } = await suite.api.get(`${ibans}/${iban}`)

      expect(status).toBe(200)
      expect(body.data).toMatchObject({ iban, name: owner_name, document_number, document_type })
      expect(body.data).toMatchObject({ currency: 'CRC', country_code: 'CR', status: 'active' })
    })

    test('the currency is the account’s', async () => {
      const { iban } = await open(suite.api, 'USD')

      expect((await suite.api.get(`${ibans}/${iban}`)).body.data.currency).toBe('USD')
    })

    suite.steered.each([
      ['active', 'active'],
      ['inactive', 'blocked'],
      ['closed', 'closed'],
    ] as const)('a local account that is %s has the status %s', async (status, shown) => {
      const account = await open(suite.api, 'CRC')
      await suite.control.setAccountStatus(account.id, status)

      expect((await suite.api.get(`${ibans}/${account.iban}`)).body.data.status).toBe(shown)
    })

    suite.steered.each([
      ['Cuenta Cerrada', 'closed'],
      ['Cuenta Bloqueada', 'blocked'],
      ['Rechazo Siempre', 'active'],
    ])('%s of the demo has the status %s', async (name, status) => {
      expect((await suite.api.get(`${ibans}/${ibanOf(name)}`)).body.data).toMatchObject({ name, status })
    })

    suite.steered('the holder of an account at another bank is found', async () => {
      const iban = ibanOf('Ferretería El Roble S.A.')

      expect((await suite.api.get(`${ibans}/${iban}`)).body.data).toEqual({
        iban,
        name: 'Ferretería El Roble S.A.',
        document_number: '3101234567',
        document_type: 3,
        currency: 'CRC',
        country_code: 'CR',
        entity_name: 'BAC San José',
        status: 'active',
      })
    })

    test.each(['CR37012345678901234567', 'CR61010200100000000001'])('%s, which nobody has, is 404', async (iban) => {
      const answer = await suite.api.get(`${ibans}/${iban}`)

      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('IBAN not found')
    })

    test.each([
      'CR',
      'cr61010200100000000001',
      'CR6101020010000000000',
      'CR610102001000000000011',
      'CR%00',
      'x'.repeat(2000),
    ])('%s is not an IBAN: 422', async (iban) => {
      const answer = await suite.api.get(`${ibans}/${iban}`)

      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({
        iban: ['IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)'],
      })
    })
  })

  describe('looking up a phone', () => {
    suite.steered.each(['', '506'])('an enrolled phone is found, prefix "%s"', async (prefix) => {
      const phone = prefix + phoneOf('John Andrew Smith')

      expect((await suite.api.get(`${phones}/${phone}`)).body.data).toEqual({
        phone_number: phone,
        name: 'John Andrew Smith',
        document_number: '155812345678',
        document_type: null,
        currency: 'CRC',
        country_code: 'CR',
        entity_name: 'Davivienda',
        status: 'registered',
      })
    })

    suite.steered('the user’s own phone is found like any other', async () => {
      const user = (await suite.api.get('/api/user')).body.data

      expect((await suite.api.get(`${phones}/88001234`)).body.data).toMatchObject({ name: user.name, currency: 'CRC' })
    })

    suite.steered('every recipient of the demo is found', async () => {
      for (const { address, name, document_number } of demoRegistry) {
        const path = address.startsWith('CR') ? ibans : phones
        expect((await suite.api.get(`${path}/${address}`)).body.data).toMatchObject({ name, document_number })
      }
    })

    test('a phone that is not enrolled gets 404', async () => {
      const answer = await suite.api.get(`${phones}/62999999`)

      expect(answer.status).toBe(404)
      expect(answer.body.message).toBe('Phone number not found in SINPE registry')
    })

    test.each([
      '1',
      '18887777',
      '8888777',
      '888877777',
      '50788887777',
      '+50688887777',
      '8888%207777',
      '%00',
      'x'.repeat(2000),
    ])('%s is not a phone: 422', async (phone) => {
      const answer = await suite.api.get(`${phones}/${phone}`)

      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ phone: ['Phone number must be a valid Costa Rican phone number'] })
    })
  })
}
