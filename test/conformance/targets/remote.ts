import { exchangeOverHttp } from '../http_exchange.ts'
import type { Target } from '../target.ts'

/**
 * Any server, named by CONFORMANCE_BASE_URL and CONFORMANCE_TOKEN. The suite opens accounts there and sends payments of
 * a few minor units between them.
 */
export function remote(baseUrl: string, token: string): Target {
  const origin = new URL(baseUrl)
  const prefix = origin.pathname.replace(/\/$/, '')
  return {
    name: baseUrl,
    reach: 'none',
    listens: origin.protocol === 'http:',
    start: async () => ({
      token,
      address: { host: origin.hostname.replace(/^\[|\]$/g, ''), port: Number(origin.port || 80) },
      exchange: (wire) => exchangeOverHttp(origin, { ...wire, url: prefix + wire.url }),
      control: null,
      inside: null,
      close: async () => {},
    }),
  }
}
