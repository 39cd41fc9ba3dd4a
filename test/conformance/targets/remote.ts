import { type Endpoint, endpoints, worldHeader } from '../../../src/contract/index.ts'
import { guarded } from '../allowance.ts'
import { exchangeOverHttp } from '../http_exchange.ts'
import type { Target, World } from '../target.ts'
import { controlOver } from './control_over.ts'

interface Remote {
  readonly baseUrl: string
  readonly token: string
  /** Most that all payments together may ask for, in minor units; null for a run that only reads. */
  readonly allowed: number | null
}

/**
 * Any server. At one that is an emulator on this machine the suite may do everything; at any other it reads, and writes
 * only as far as it was allowed to.
 */
export function remote({ baseUrl, token, allowed }: Remote): Target {
  const origin = new URL(baseUrl)
  const prefix = origin.pathname.replace(/\/$/, '')
  const exchange: World['exchange'] = (wire) => exchangeOverHttp(origin, { ...wire, url: prefix + wire.url })
  return {
    name: baseUrl,
    reach: 'none',
    listens: false, // what needs sockets is tried on the built payctl emulate
    async start() {
      const emulated = await isEmulator(origin, exchange)
      return {
        token,
        emulated,
        address: null,
        exchange: emulated ? exchange : guarded(exchange, { total: allowed, token }),
        control: emulated ? controlOver(exchange) : null,
        inside: null,
        close: async () => {},
      }
    },
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

const isThisMachine = (origin: URL): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(hostOf(origin))

/** A host elsewhere may say so of itself and move money all the same. */
async function isEmulator(origin: URL, exchange: World['exchange']): Promise<boolean> {
  if (!isThisMachine(origin)) return false
  const { method, path }: Endpoint = endpoints['payments.serviceStatus']
  const { headers } = await exchange({ method, url: path, headers: {} })
  return headers[worldHeader.toLowerCase()] !== undefined
}
