import { expect, type TestAPI } from 'vitest'

/** Members of a bank that the tests use. */
export interface Bank {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly token: string
  readonly account: string
  /** Lets all payments end. */
  end(): Promise<unknown>
}

/** Tests of a shop that pays, reads and waits. */
export function orders(test: TestAPI<{ bank: Bank }>, count: number): void {
  for (let order = 1; order <= count; order++) {
    test(`order ${order} is paid`, async ({ bank: { baseUrl, fetch, token, account, end } }) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const read = async (path: string, init: RequestInit = {}) => {
        const response = await fetch(`${baseUrl}${path}`, { ...init, headers: { ...headers, ...init.headers } })
        return ((await response.json()) as { readonly data: { readonly id: string; readonly status: string } }).data
      }
      const body = JSON.stringify({ source_account_id: account, recipient_phone: '87000001', amount: 1000 })
      const key = { 'X-Idempotency-Key': `order-${order}` }
      const { id } = await read('/api/payments', { method: 'POST', headers: key, body })
      expect((await read(`/api/payments/${id}`)).status).toBe('pending')
      await end()
      expect((await read(`/api/payments/${id}`)).status).toBe('completed')
    })
  }
}
