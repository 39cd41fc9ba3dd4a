import { isAxiosError } from 'axios'
import type { PaymentClient, Service } from '../../payment_program.ts'
import type { ErrorEnvelope } from '../generated/kubb/index.ts'
import { accountsList, paymentsCreate, paymentsGet, paymentsValidate } from '../generated/kubb/index.ts'

export function connect({ baseUrl: baseURL, token }: Service): PaymentClient {
  const to = { baseURL, headers: { Authorization: `Bearer ${token}` } }
  return {
    async accounts() {
      const { data } = await accountsList({}, to)
      return data.data
    },
    send: (key, order) => paymentsCreate(order, { 'X-Idempotency-Key': key }, to).then(({ data }) => data, refused),
    check: (key, order) =>
      paymentsValidate(order, { 'X-Idempotency-Key': key }, to).then(({ data }) => ({ fee: data.fee.value }), refused),
    async status(id) {
      const { data } = await paymentsGet(id, to)
      return data.status
    },
  }
}

function refused(error: unknown) {
  if (!isAxiosError<ErrorEnvelope>(error) || !error.response) throw error
  return { ...error.response.data, status: error.response.status }
}
