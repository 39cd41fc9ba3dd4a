import { expect, expectTypeOf, test } from 'vitest'
import type { Client, InitiatedPayment, OutputOf, Page, Payment, StrictClient, User } from '../../src/client/index.ts'
import { payment } from '../support/stub.ts'

// The compiler checks this function, which never runs: the types are the test.
async function calls(client: Client, strict: StrictClient) {
  expectTypeOf(await client.call('user.get')).toEqualTypeOf<User>()
  expectTypeOf(await client.call('payments.create', payment)).toEqualTypeOf<InitiatedPayment>()
  expectTypeOf((await client.answer('payments.get', { params: { id: '1' } })).data).toEqualTypeOf<Payment>()
  expectTypeOf(await client.call('payments.history')).toExtend<Page<Payment>>()
  for await (const item of client.items('payments.history')) expectTypeOf(item).toEqualTypeOf<Payment>()

  const received = await client.call('payments.get', { params: { id: '1' } })
  expectTypeOf(received.id).toEqualTypeOf<string | null | undefined>()
  expectTypeOf(received.amount.value).toEqualTypeOf<number | null | undefined>()
  expectTypeOf<'recalled'>().toExtend<typeof received.status>()
  const checked = await strict.call('payments.get', { params: { id: '1' } })
  expectTypeOf(checked).toEqualTypeOf<OutputOf<'payments.get'>>()
  expectTypeOf(checked.id).toEqualTypeOf<string>()
  expectTypeOf(strict).toExtend<Client>()

  await client.call('accounts.list')
  await client.call('accounts.list', {})
  await client.call('payments.history', { query: { page: undefined, channel: null } })

  // @ts-expect-error no such endpoint
  await client.call('payments.cancel')
  // @ts-expect-error the id is missing
  await client.call('payments.get')
  // @ts-expect-error a parameter of another name
  await client.call('payments.get', { params: { payment: '1' } })
  // @ts-expect-error the idempotency key is missing
  await client.call('payments.create', { body: payment.body })
  // @ts-expect-error an amount is a number of minor units
  await client.call('payments.create', { ...payment, body: { ...payment.body, amount: '15.00' } })
  // @ts-expect-error a required member is not undefined
  await client.call('payments.get', { params: { id: undefined } })
  // @ts-expect-error a channel that does not exist
  await client.call('payments.history', { query: { channel: 'cash' } })
  // @ts-expect-error not a list
  client.items('user.get')
}

test('types', () => {
  expect(calls).toBeTypeOf('function')
})
