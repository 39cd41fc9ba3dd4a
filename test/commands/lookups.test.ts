import { describe, expect, it } from 'vitest'
import { failure, startStub, success } from '../client/stub.ts'
import { at, runPayctl } from './run_payctl.ts'

const holder = {
  name: 'Ana Mora',
  document_number: '0101110111',
  currency: 'CRC',
  country_code: 'CR',
  entity_name: 'BANCO',
  status: 'registered',
}
const enrolled = [200, success({ phone_number: '88887777', document_type: null, ...holder })] as const
const unknown = [404, failure('Phone number not found in SINPE registry')] as const

describe('phone', () => {
  it('takes a number the way people write it', async () => {
    const stub = await startStub(enrolled)
    const { code, stdout } = await runPayctl(['phone', '+506 8888-7777', '--json'], at(stub.url))
    expect(code).toBe(0)
    expect(stub.received[0]?.url).toBe('/api/phone/information/50688887777')
    expect(JSON.parse(stdout)).toMatchObject({ phone_number: '88887777', name: 'Ana Mora' })
  })

  it('that is the only one and not found is an error of its own', async () => {
    const stub = await startStub(unknown)
    const { code, stdout, stderr } = await runPayctl(['phone', '88887777'], at(stub.url))
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('error: Phone number not found in SINPE registry\n')
  })

  it.each(['123', '18887777', '888877770', 'abc'])('%s is refused before any request', async (number) => {
    const stub = await startStub(enrolled)
    const { code, stderr } = await runPayctl(['phone', number], at(stub.url))
    expect(code).toBe(2)
    expect(stderr).toContain(`'${number}' is not a Costa Rican phone number`)
    expect(stub.received).toHaveLength(0)
  })
})

describe('iban', () => {
  it('takes spaces and lower case', async () => {
    const stub = await startStub([200, success({ iban: 'CR05015202001026284066', ...holder })])
    const { code } = await runPayctl(['iban', 'cr05 0152 0200 1026 2840 66'], at(stub.url))
    expect(code).toBe(0)
    expect(stub.received[0]?.url).toBe('/api/iban/information/CR05015202001026284066')
  })

  it.each([
    ['CR06015202001026284066', 'has check digits 06 where 05 fit'],
    ['CR0501520200102628406', 'it has 21 characters of 22'],
    ['DE05015202001026284066', 'is not a Costa Rican IBAN'],
  ])('%s is explained before any request', async (value, why) => {
    const stub = await startStub(enrolled)
    const { code, stderr } = await runPayctl(['iban', value], at(stub.url))
    expect(code).toBe(2)
    expect(stderr).toContain(why)
    expect(stub.received).toHaveLength(0)
  })
})
