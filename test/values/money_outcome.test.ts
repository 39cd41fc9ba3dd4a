import { expect, test } from 'vitest'
import { terminalStatuses } from '../../src/contract/payment_names.ts'
import { moneyOfIntent } from '../../src/journal/intent.ts'
import { knownMoney, moneyOutcome, moneyWords } from '../../src/values/money_outcome.ts'

const submitted_at = '2026-11-25T14:28:50.000000Z'

test.each([
  [{ status: 'completed', submitted_at }, null, null],
  [{ status: 'failed', transfer_type: 'credit', submitted_at }, null, null],
  [{ status: 'pending', submitted_at: null }, 'held', 'not_known'],
  [{ status: 'processing', submitted_at }, 'held', 'not_known'],
  [{ status: 'failed', submitted_at }, 'back', 'not_known'],
  [{ status: 'timeout', submitted_at }, 'back', 'not_known'],
  [{ status: 'service_unavailable', submitted_at: null }, 'nothing_taken', 'not_known'],
  [{ status: 'validation_failed', submitted_at: null }, 'nothing_taken', 'not_known'],
  [{ status: 'failed' }, 'not_missing', 'not_known'],
  [{ status: 'returned', submitted_at }, 'not_known', 'not_known'],
  [{ submitted_at }, 'not_known', 'not_known'],
] as const)('%j is %s in an emulator and %s elsewhere', (payment, inEmulator, elsewhere) => {
  expect([moneyOutcome(payment, true), moneyOutcome(payment, false)]).toEqual([inEmulator, elsewhere])
})

test.each(['pending', 'processing', ...terminalStatuses])('of a service, nothing is claimed of %s', (status) => {
  const claims = knownMoney(moneyOutcome({ status, submitted_at: null }, false))
  expect(claims).toBeUndefined()
})

test.each([
  ['prepared', null, null, 'nothing_taken'],
  ['rejected', null, null, 'nothing_taken'],
  ['sent', null, 'w', 'not_known'],
  ['unknown', null, 'w', 'not_known'],
  ['settled', 'completed', null, null],
  ['settled', 'failed', null, 'not_known'],
  ['settled', 'failed', 'w', 'not_missing'],
  ['settled', 'pending', 'w', 'held'],
] as const)(
  'an intent that is %s, with a payment that is %s, in world %s: %s',
  (status, payment_status, world, outcome) => {
    expect(moneyOfIntent({ status, payment_status, world })).toBe(outcome)
  },
)

test('in words, with the ends of the account that pays, whole where it is to be typed', () => {
  const iban = 'CR76099910000000000001'
  expect(String(moneyWords('back', iban))).toBe('the money is back in CR76 ... 0001')
  expect(String(moneyWords('held', iban))).toBe('still held in CR76 ... 0001')
  expect(String(moneyWords('nothing_taken', iban))).toBe('nothing was taken')
  expect(String(moneyWords('not_known', iban))).toContain('see the balance of CR76099910000000000001')
})
