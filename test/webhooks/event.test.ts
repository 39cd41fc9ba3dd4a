import { expect, test } from 'vitest'
import { factsOf } from '../../src/webhooks/event.ts'

const payment = {
  id: 'p-1',
  transfer_type: 'debit',
  payer: { name: 'Ana Mora' },
  payee: { name: 'Luis Solano' },
  amount: { value: 150_025, currency: 'CRC' },
  created_at: '2026-01-05 12:00:00',
  completed_at: '2026-01-05 12:00:09',
}

test.each([
  ['debit', 'Luis Solano'],
  ['credit', 'Ana Mora'],
])('of a %s the other side is named', (transfer_type, counterparty) => {
  expect(factsOf({ data: { ...payment, transfer_type }, timestamp: null }).counterparty).toBe(counterparty)
})

test.each([
  [payment, '2026-01-05T12:00:10-06:00', '2026-01-05T12:00:10-06:00'],
  [payment, null, '2026-01-05 12:00:09'],
  [{ ...payment, completed_at: null }, null, '2026-01-05 12:00:00'],
])('the latest time in the answers counts', (data, timestamp, time) => {
  expect(factsOf({ data, timestamp }).time).toBe(time)
})

test('an amount without display form is written out, unless it is not a whole number', () => {
  expect(factsOf({ data: payment, timestamp: null })).toMatchObject({ amountText: '1,500.25 CRC', amount: '1500.25' })
  const half = { ...payment, amount: { value: 0.5, currency: 'CRC' } }
  expect(factsOf({ data: half, timestamp: null })).toMatchObject({ amountText: '', amount: null })
})

test.each([null, [], 'text', 7, {}, { amount: [], payee: 'x', id: 7 }])(
  'of %j little is known, and nothing fails',
  (data) => {
    expect(factsOf({ data, timestamp: null })).toMatchObject({ id: null, amount: null, counterparty: null, time: null })
  },
)
