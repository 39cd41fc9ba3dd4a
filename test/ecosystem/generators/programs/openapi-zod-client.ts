import { isErrorFromAlias } from '@zodios/core'
import type { PaymentClient, Service } from '../../payment_program.ts'
import { api, createApiClient } from '../generated/openapi-zod-client/client.ts'

export function connect({ baseUrl, token }: Service): PaymentClient {
  const client = createApiClient(baseUrl, { axiosConfig: { headers: { Authorization: `Bearer ${token}` } } })
  return {
    async accounts() {
      const { data } = await client.accountsList()
      return data.data
    },
    async send(key, order) {
      try {
        const { data } = await client.paymentsCreate(order, { headers: { 'X-Idempotency-Key': key } })
        return data
      } catch (error) {
        if (!isErrorFromAlias(api.api, 'paymentsCreate', error)) throw error
        return { ...error.response.data, status: error.response.status }
      }
    },
    async check(key, order) {
      try {
        const { data } = await client.paymentsValidate(order, { headers: { 'X-Idempotency-Key': key } })
        return { fee: data.fee.value }
      } catch (error) {
        if (!isErrorFromAlias(api.api, 'paymentsValidate', error)) throw error
        return { ...error.response.data, status: error.response.status }
      }
    },
    async status(id) {
      const { data } = await client.paymentsGet({ params: { id } })
      return data.status
    },
  }
}
