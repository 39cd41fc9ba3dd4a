import { demo } from '../../../emulator/worlds/seed.ts'
import { exchangeOverHttp } from '../http_exchange.ts'
import type { Target, World } from '../target.ts'
import { controlOver } from './control_over.ts'
import { type EmulateProcess, startEmulate } from './payctl_emulate.ts'

/** The built `payctl emulate`, over a port. */
export const emulateProcess: Target = {
  name: 'the built payctl emulate',
  reach: 'control',
  listens: true,
  async start({ rateLimit } = {}) {
    const limit = rateLimit === undefined ? [] : ['--rate-limit', `${rateLimit}/min`]
    return worldOf(await startEmulate(['--settle', 'manual', '--clock', 'running', ...limit]))
  },
}

function worldOf(emulate: EmulateProcess): World {
  const { ready } = emulate
  const origin = new URL(ready.base_url)
  const exchange: World['exchange'] = (wire) => exchangeOverHttp(origin, wire)
  return {
    token: ready.token,
    emulated: true,
    address: { host: origin.hostname, port: Number(origin.port), path: '' },
    oauth: { exchange, client: { id: demo.clientId, secret: demo.clientSecret } },
    exchange,
    control: controlOver(exchange),
    inside: null,
    close: () => emulate.stop(),
  }
}
