import type { PaymentClient, Service } from '../../payment_program.ts'
import * as payments from '../generated/oazapfts/client.ts'

export function connect({ baseUrl, token }: Service): PaymentClient {
  const to = { baseUrl, headers: { Authorization: `Bearer ${token}` } }
  return {
    async accounts() {
      const { status, data } = await payments.accountsList({}, to)
      if (status !== 200) throw new Error(data.message)
      return data.data.data
    },
    async send(key, order) {
      const { status, data } = await payments.paymentsCreate(key, order, to)
      return status === 201 ? data.data : { ...data, status }
    },
    async check(key, order) {
      const { status, data } = await payments.paymentsValidate(key, order, to)
      return status === 200 ? { fee: data.data.fee.value } : { ...data, status }
    },
    async status(id) {
      const { status, data } = await payments.paymentsGet(id, to)
      if (status !== 200) throw new Error(data.message)
      return data.data.status
    },
  }
}
