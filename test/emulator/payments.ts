import type { Payment } from '../../src/contract/index.ts'
import { Api } from '../conformance/api.ts'
import { exchangeOverHttp } from '../conformance/http_exchange.ts'
import type { World } from '../conformance/target.ts'

/** Calls an emulator over its port; checks every answer against the contract. */
export function apiOn({ baseUrl, token }: { readonly baseUrl: string; readonly token: string }): Api {
  const origin = new URL(baseUrl)
  return apiOf({ token, exchange: (wire) => exchangeOverHttp(origin, wire) })
}

export const apiOf = (world: Pick<World, 'token' | 'exchange'>): Api =>
  new Api(
    { emulated: true, address: null, oauth: null, control: null, inside: null, close: async () => {}, ...world },
    new Set(),
  )

/** The whole history, newest first. */
export async function allPayments(api: Api): Promise<Payment[]> {
  const payments: Payment[] = []
  for (let page = 1; ; page++) {
    const { data } = (await api.get('/api/payments/history', { query: { page, per_page: 1000 } })).body
    payments.push(...data.data)
    if (data.next_page_url === null) return payments
  }
}
