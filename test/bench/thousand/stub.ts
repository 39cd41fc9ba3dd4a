import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import type { Bank } from './orders.ts'

/** A typical hand-written stub, without checks: a server for each test, in the test's process. */
export const stubTest = test.extend<{ bank: Bank }>({
  bank: async ({ task: _ }, use) => {
    const payments: { id: string; status: string }[] = []
    const server = createServer(async (request, response) => {
      if (request.method === 'POST') {
        const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
        payments.push({ ...body, id: String(payments.length), status: 'pending' })
      }
      const id = request.url?.split('/')[3]
      const data = request.method === 'POST' ? payments.at(-1) : payments.find((payment) => payment.id === id)
      response.writeHead(data ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify({ data }))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const end = async () => payments.forEach((payment) => void Object.assign(payment, { status: 'completed' }))
    await use({ baseUrl, fetch, token: 'token', account: 'account', end })
    server.close().closeAllConnections()
  },
})
