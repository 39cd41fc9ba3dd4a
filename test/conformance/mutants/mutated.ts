import { startEmulator } from '../../../emulator/index.ts'
import { demo } from '../../../emulator/worlds/seed.ts'
import { exchangeOverHttp } from '../http_exchange.ts'
import type { Target, World } from '../target.ts'
import { controlOver } from '../targets/control_over.ts'
import { type Mutation, startProxy } from './mutating_proxy.ts'

/** The emulator behind a proxy with a fault. */
export const mutated = (name: string, mutation: () => Mutation): Target => ({
  name,
  reach: 'control',
  listens: false,
  async start({ rateLimit } = {}) {
    const emulator = await startEmulator({ settle: 'manual', ...(rateLimit !== undefined && { rateLimit }) })
    const proxy = await startProxy(new URL(emulator.baseUrl), mutation())
    const origin = new URL(proxy.url)
    const exchange: World['exchange'] = (wire) => exchangeOverHttp(origin, wire)
    return {
      token: emulator.token,
      emulated: true,
      address: null,
      oauth: { exchange, client: { id: demo.clientId, secret: demo.clientSecret } },
      exchange,
      control: controlOver(exchange),
      inside: null,
      async close() {
        await proxy[Symbol.asyncDispose]()
        await emulator.close()
      },
    }
  },
})
