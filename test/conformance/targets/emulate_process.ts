import { exchangeOverHttp } from '../http_exchange.ts'
import type { Control, Target, World } from '../target.ts'
import { type EmulateProcess, startEmulate } from './payctl_emulate.ts'

/** The built `payctl emulate`, over a port. */
export const emulateProcess: Target = {
  name: 'the built payctl emulate',
  reach: 'control',
  listens: true,
  async start({ rateLimit } = {}) {
    const limit = rateLimit === undefined ? [] : ['--rate-limit', `${rateLimit}/min`]
    return worldOf(await startEmulate(['--settle', 'manual', ...limit]))
  },
}

function worldOf(emulate: EmulateProcess): World {
  const { ready } = emulate
  const origin = new URL(ready.base_url)
  return {
    token: ready.token,
    address: { host: origin.hostname, port: Number(origin.port) },
    exchange: (wire) => exchangeOverHttp(origin, wire),
    control: controlOver(origin),
    inside: null,
    close: () => emulate.stop(),
  }
}

/** Steers an emulator by its own endpoints. */
export function controlOver(origin: URL): Control {
  const call = async (method: string, url: string, body?: unknown) => {
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const headers = { 'Content-Type': 'application/json' }
    const reply = await exchangeOverHttp(origin, { method, url, headers, ...payload })
    if (reply.status !== 200) throw new Error(`${method} ${url}: ${reply.status} ${reply.text}`)
    return JSON.parse(reply.text).data
  }
  return {
    async advanceClock(ms) {
      await call('POST', '/_emulator/clock/advance', { ms })
    },
    ledger: () => call('GET', '/_emulator/ledger'),
  }
}
