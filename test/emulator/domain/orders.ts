import type { AcceptedOrder, InitiateOptions } from '../../../emulator/domain/initiate.ts'
import type { Party } from '../../../emulator/domain/payment.ts'
import type { Outcome } from '../../../src/contract/index.ts'

export const now = Date.UTC(2026, 0, 5, 18)

const party = (name: string): Party => ({
  iban: 'CR61010200100000000001',
  phone: null,
  document_number: '0112340567',
  document_type: 0,
  name,
})

/** An order of 1000 minor units, fee 100, to a recipient with this outcome. */
export function orderTo(outcome: Outcome): AcceptedOrder {
  const body = { source_account_id: '', amount: 1000, recipient_iban: 'CR61010200100000000001' }
  return {
    body,
    address: { channel: 'pin', field: 'recipient_iban', value: body.recipient_iban },
    source: {
      seq: 1,
      user: 1,
      currency: 'CRC',
      status: 'active',
      available: 5000,
      party: party('Payer'),
    },
    recipient: {
      party: party('Payee'),
      currency: 'CRC',
      outcome,
      state_code: null,
      failure_text: null,
      account: null,
      owner: null,
    },
    fee: 100,
  }
}

export const circumstances = (more: Partial<InitiateOptions> = {}): InitiateOptions => ({
  id: '01900000-0000-7000-8000-000000000001',
  seq: 1,
  key: 'key',
  now,
  settleMs: 1000,
  railOnline: true,
  ...more,
})
