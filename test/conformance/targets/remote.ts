import { setTimeout as wait } from 'node:timers/promises'
import { isLoopback } from '../../../src/client/base_url.ts'
import { type Endpoint, endpoints, rateLimitHeaders, worldHeader } from '../../../src/contract/index.ts'
import { type Allowance, guarded } from '../allowance.ts'
import { exchangeAt } from '../http_exchange.ts'
import { Undecided } from '../not_applicable.ts'
import type { OAuthServer, Reply, Target, World } from '../target.ts'
import type { WriteJournal } from '../writes.ts'

type Exchange = World['exchange']

interface Remote {
  readonly baseUrl: string
  readonly token: string
  /** Id of the account to debit, if the user named one. */
  readonly payer: string | undefined
  /** Null for a run that only reads. */
  readonly allowance: Allowance | null
  readonly journal: WriteJournal
  /** The OAuth server and a client registered there; null: unknown. */
  readonly oauth: { readonly authUrl: string; readonly client: OAuthServer['client'] } | null
}

/** Any server: the suite reads, and writes within the allowance. */
export function remote({ baseUrl, token, payer, allowance, journal, oauth }: Remote): Target {
  const exchange = guarded(waitingForItsTurn(exchangeAt(baseUrl)), { token, allowance, journal })
  return {
    name: 'service',
    reach: 'none',
    listens: false, // cases that need sockets run on emulators only
    start: async () => ({
      token,
      payer,
      emulated: false,
      address: null,
      oauth: oauth && { exchange: waitingForItsTurn(exchangeAt(oauth.authUrl)), client: oauth.client },
      exchange,
      control: null,
      inside: null,
      close: async () => {},
    }),
  }
}

/** True for an emulator on this machine. A remote host may claim to be an emulator and still move money. */
export async function isEmulator(baseUrl: string): Promise<boolean> {
  if (!isLoopback(baseUrl)) return false
  const { method, path }: Endpoint = endpoints['payments.serviceStatus']
  const { headers } = await exchangeAt(baseUrl)({ method, url: path, headers: {} })
  return headers[worldHeader.toLowerCase()] !== undefined
}

/** Seconds. */
const longestWait = 120

/** Waits and repeats a request that the service answers with 429, because the refused request did nothing. */
const waitingForItsTurn =
  (exchange: Exchange): Exchange =>
  async (wire) => {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await exchange(wire)
      if (reply.status !== 429) return reply
      const seconds = secondsToWait(reply)
      if (attempt === 3 || seconds > longestWait) throw new Undecided(`Rate limited: ${wire.method} ${wire.url}`)
      if (seconds > 0) console.log(`  waits ${Math.ceil(seconds)} s: too many requests (${wire.method} ${wire.url})`)
      await wait(seconds * 1000)
    }
  }

function secondsToWait({ headers }: Reply): number {
  const after = Number(headers['retry-after'])
  if (after >= 0) return after
  const reset = Number(headers[rateLimitHeaders.reset.toLowerCase()]) - Date.now() / 1000
  return Number.isNaN(reset) ? 60 : Math.max(0, reset)
}
