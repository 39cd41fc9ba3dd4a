import createClient from 'openapi-fetch'
import { key, order, type Paid, type Service } from '../../payment_program.ts'
import type { paths } from '../generated/openapi-typescript/schema.ts'

export async function pay({ baseUrl, token, advanceClock }: Service): Promise<Paid> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
  const { data: accounts } = await client.GET('/api/accounts')
  const colones = accounts?.data.data.find((account) => account.balance.currency === 'CRC')
  if (!accounts || !colones) throw new Error('There is no account in CRC')

  const header = { 'X-Idempotency-Key': key }
  const body = { ...order, source_account_id: colones.id }
  const send = () => client.POST('/api/payments', { params: { header }, body })
  const [sent, again] = [await send(), await send()]
  if (!sent.data) throw new Error(sent.error.message)
  await advanceClock(60_000)
  const path = { id: sent.data.data.id }
  const payment = await client.GET('/api/payments/{id}', { params: { path } })

  const refused = await client.POST('/api/payments', {
    params: { header: { 'X-Idempotency-Key': 'too-much' } },
    body: { ...body, amount: 500_000_001 },
  })
  const { errors = {} } = refused.error ?? {}
  const checked = await client.POST('/api/payments/validate', { params: { header }, body })
  return {
    ibans: accounts.data.data.map((account) => account.iban),
    statuses: [sent.data.data.status, payment.data?.data.status ?? 'unknown'],
    isSame: again.data?.data.id === sent.data.data.id,
    refusal: {
      status: refused.response.status,
      message: refused.error?.message ?? '',
      fields: typeof errors === 'string' ? [] : Object.keys(errors),
    },
    conflict: { status: checked.response.status, message: checked.error?.message ?? '' },
  }
}
