import type { PaymentClient, Service } from '../../payment_program.ts'
import { createClient } from '../generated/hey-api/client/index.ts'
import { accountsList, paymentsCreate, paymentsGet, paymentsValidate } from '../generated/hey-api/sdk.gen.ts'
import type { ErrorEnvelope } from '../generated/hey-api/types.gen.ts'

export function connect({ baseUrl, token }: Service): PaymentClient {
  const client = createClient({ baseUrl, auth: token })
  return {
    async accounts() {
      const { data } = await accountsList({ client, throwOnError: true })
      return data.data.data
    },
    async send(key, body) {
      const { data, error, response } = await paymentsCreate({ client, headers: { 'X-Idempotency-Key': key }, body })
      return data ? data.data : refused(response, error)
    },
    async check(key, body) {
      const { data, error, response } = await paymentsValidate({ client, headers: { 'X-Idempotency-Key': key }, body })
      return data ? { fee: data.data.fee.value } : refused(response, error)
    },
    async status(id) {
      const { data } = await paymentsGet({ client, path: { id }, throwOnError: true })
      return data.data.status
    },
  }
}

/** Without an answer, the error comes from the network, not from the service. */
function refused(response: Response | undefined, error: ErrorEnvelope) {
  if (!response) throw error
  return { ...error, status: response.status }
}
