import { demo } from '../../emulator/worlds/seed.ts'
import { buildIban, eventNames } from '../../src/contract/index.ts'
import type { FixedValues } from './fixed_values.ts'
import type { Recorder } from './recorder.ts'

const [{ id: account }, { id: dollars }] = demo.accounts
const nowhere = '01900000-0000-7000-8000-00000000ffff'
const supplier = buildIban('151', '00100000000001')
const broken = '{"amount": 1500'

interface SessionOptions {
  /** URL of a receiver that accepts deliveries. */
  readonly receiver: string
  readonly fixed: FixedValues
}

/** Records a session that uses the service and makes the usual mistakes. */
export async function useService(recorder: Recorder, options: SessionOptions): Promise<void> {
  await readAccounts(recorder)
  await subscribe(recorder, options)
  await pay(recorder)
  await readPayments(recorder)
  await lookUp(recorder)
  await readRates(recorder)
}

async function readAccounts(recorder: Recorder): Promise<void> {
  await recorder.call('accounts.list', { query: { per_page: 15, page: 1 } })
  await recorder.call('accounts.list', { query: { per_page: 0 }, status: 422 })
  await recorder.call('accounts.create', { body: { currency: 'USD' } })
  await recorder.call('accounts.create', { body: { currency: 'EUR' }, status: 422 })
  await recorder.call('accounts.create', { body: '{"currency":', status: 400 })
  for (const id of ['accounts.get', 'accounts.balance'] as const) {
    await recorder.call(id, { params: { id: account } })
    await recorder.call(id, { params: { id: nowhere }, status: 404 })
    await recorder.call(id, { params: { id: '42' }, status: 422 })
  }
  await recorder.call('user.get', { headers: { Authorization: 'Bearer expired' }, status: 401 })
}

async function subscribe(recorder: Recorder, { receiver, fixed }: SessionOptions): Promise<void> {
  const body = { url: receiver, events: [...eventNames], headers: { 'X-Shop': 'sucursal-1' } }
  const { id, secret } = (await recorder.call('webhooks.create', { body })).body.data
  fixed.replace(secret, 'VYBXnc0HvmpxuK4gjhfKqHPaDfDB9zQT')
  await recorder.call('webhooks.create', { body: { ...body, events: ['payment.paid'] }, status: 422 })
  await recorder.call('webhooks.create', { body: broken, status: 400 })
  const other = { url: `${receiver}/failures`, events: ['payment.failed'], max_attempts: 5, timeout: 10 }
  const spare = (await recorder.call('webhooks.create', { name: 'failuresOnly', body: other })).body.data
  fixed.replace(spare.secret, '3ZMYpzbh7xDqVUS1v0T5JtLkQGgZ2nWc')
  await recorder.call('webhooks.list', { query: { per_page: 15, page: 1 } })
  await recorder.call('webhooks.list', { query: { per_page: 0 }, status: 422 })
  await recorder.call('webhooks.get', { params: { id } })
  await recorder.call('webhooks.resume', { params: { id }, status: 409 })
  await recorder.call('webhooks.suspend', { params: { id }, body: { reason: 'Maintenance' } })
  await recorder.call('webhooks.suspend', { params: { id }, body: {}, status: 409 })
  await recorder.call('webhooks.suspend', { params: { id }, body: broken, status: 400 })
  await recorder.call('webhooks.resume', { params: { id } })
  await recorder.call('webhooks.delete', { params: { id: spare.id } })
  for (const id of ['webhooks.get', 'webhooks.delete', 'webhooks.suspend', 'webhooks.resume'] as const) {
    const body = id === 'webhooks.suspend' ? { body: {} } : {}
    await recorder.call(id, { params: { id: nowhere }, ...body, status: 404 })
    await recorder.call(id, { params: { id: '42' }, ...body, status: 422 })
  }
}

const keyed = (key: string) => ({ headers: { 'X-Idempotency-Key': key } })

async function pay(recorder: Recorder): Promise<void> {
  const toIban = {
    source_account_id: account,
    amount: 1_250_000,
    recipient_iban: supplier,
    description: 'Factura 2026-0117, materiales',
  }
  const toPhone = { source_account_id: account, amount: 500_000, recipient_phone: '87000002' }
  for (const id of ['payments.validate', 'payments.create'] as const) {
    // Validation refuses an idempotency key of an existing payment, so the validation examples use other keys.
    const suffix = id === 'payments.validate' ? '-consulta' : ''
    await recorder.call(id, { name: 'toIban', ...keyed(`factura-2026-0117${suffix}`), body: toIban })
    await recorder.call(id, { name: 'toPhone', ...keyed(`almuerzo-0042${suffix}`), body: toPhone })
    await recorder.call(id, { name: 'noKey', body: toIban, status: 400 })
    await recorder.call(id, { name: 'brokenJson', ...keyed('broken'), body: broken, status: 400 })
    const refusals = {
      insufficientBalance: {
        ...toIban,
        source_account_id: dollars,
        recipient_iban: buildIban('102', '00100000000005'),
        amount: 400_000_000,
      },
      unknownRecipient: { ...toPhone, recipient_phone: '89999999' },
      noRecipient: { source_account_id: account, amount: 500_000 },
    }
    for (const [name, body] of Object.entries(refusals)) {
      await recorder.call(id, { name, ...keyed('refused'), body, status: 422 })
    }
  }
  await recorder.call('payments.validate', { ...keyed('factura-2026-0117'), body: toIban, status: 409 })
}

async function readPayments(recorder: Recorder): Promise<void> {
  const rejected = { source_account_id: account, amount: 300_000, recipient_phone: '87000006' }
  const { id } = (
    await recorder.call('payments.create', { ...keyed('devolucion-0003'), body: rejected, name: 'toPhone' })
  ).body.data
  await recorder.call('payments.get', { name: 'pending', params: { id } })
  await recorder.call('control.clock.advance', { body: { ms: 60_000 } })
  await recorder.call('payments.get', { name: 'failed', params: { id } })
  const query = { per_page: 2, page: 1, transfer_type: 'debit' }
  const { data } = (await recorder.call('payments.history', { query })).body.data
  await recorder.call('payments.get', { name: 'completed', params: { id: data[1].id } })
  await recorder.call('payments.get', { params: { id: nowhere }, status: 404 })
  await recorder.call('payments.get', { params: { id: '42' }, status: 422 })
  await recorder.call('payments.history', { query: { channel: 'cheque' }, status: 422 })
}

async function lookUp(recorder: Recorder): Promise<void> {
  await recorder.call('phone.information', { params: { phone: '87000001' } })
  await recorder.call('phone.information', { params: { phone: '89999999' }, status: 404 })
  await recorder.call('phone.information', { params: { phone: '911' }, status: 422 })
  await recorder.call('iban.information', { params: { iban: supplier } })
  await recorder.call('iban.information', { params: { iban: buildIban('151', '00100000009999') }, status: 404 })
  await recorder.call('iban.information', { params: { iban: 'CR00' }, status: 422 })
}

async function readRates(recorder: Recorder): Promise<void> {
  const provider = 'upstream'
  await recorder.call('fx.rates')
  await recorder.call('fx.upstream', { params: { provider } })
  await recorder.call('fx.upstream', { params: { provider: 'other' }, status: 404 })
  await recorder.call('fx.upstream', { params: { provider: 'Other' }, status: 422 })
  await recorder.call('control.fx.set', { name: 'outOfOrder', body: { offline: true } })
  await recorder.call('fx.rates', { status: 503 })
  await recorder.call('fx.upstream', { params: { provider }, status: 503 })
  await recorder.call('control.fx.set', { name: 'backInOrder', body: { offline: false } })
}
