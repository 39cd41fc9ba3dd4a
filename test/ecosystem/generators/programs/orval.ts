import type { PaymentClient, Service } from '../../payment_program.ts'
import { accountsList, paymentsCreate, paymentsGet, paymentsValidate } from '../generated/orval/client.ts'
import { configure } from './orval_fetch.ts'

export function connect(service: Service): PaymentClient {
  configure(service)
  return {
    async accounts() {
      const { status, data } = await accountsList()
      if (status !== 200) throw new Error(data.message)
      return data.data.data
    },
    async send(key, order) {
      const { status, data } = await paymentsCreate(order, { 'X-Idempotency-Key': key })
      return status === 201 ? data.data : { ...data, status }
    },
    async check(key, order) {
      const { status, data } = await paymentsValidate(order, { 'X-Idempotency-Key': key })
      return status === 200 ? { fee: data.data.fee.value } : { ...data, status }
    },
    async status(id) {
      const { status, data } = await paymentsGet(id)
      if (status !== 200) throw new Error(data.message)
      return data.data.status
    },
  }
}
