import createClient from 'openapi-fetch'
import type { PaymentClient, Service } from '../../payment_program.ts'
import type { components, paths } from '../generated/openapi-typescript/schema.ts'

export function connect({ baseUrl, token }: Service): PaymentClient {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } })
  return {
    async accounts() {
      const { data, error } = await client.GET('/api/accounts')
      if (error) throw new Error(error.message)
      return data.data.data
    },
    async send(key, order) {
      const params = { header: { 'X-Idempotency-Key': key } }
      const { data, error, response } = await client.POST('/api/payments', { params, body: order })
      return error ? refused(response, error) : data.data
    },
    async check(key, order) {
      const params = { header: { 'X-Idempotency-Key': key } }
      const { data, error, response } = await client.POST('/api/payments/validate', { params, body: order })
      return error ? refused(response, error) : { fee: data.data.fee.value }
    },
    async status(id) {
      const { data, error } = await client.GET('/api/payments/{id}', { params: { path: { id } } })
      if (error) throw new Error(error.message)
      return data.data.status
    },
  }
}

type Failure = Pick<components['schemas']['ErrorEnvelope'], 'message' | 'errors'>

const refused = ({ status }: Response, error: Failure) => ({ ...error, status })
