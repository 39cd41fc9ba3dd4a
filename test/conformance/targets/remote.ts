import { setTimeout as wait } from 'node:timers/promises'
import { isLoopback } from '../../../src/client/loopback.ts'
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
  /** Id of the account that payments leave from, if one was given. */
  readonly payer: string | undefined
  /** Null for a run that only reads. */
  readonly allowance: Allowance | null
  readonly journal: WriteJournal
  /** Where the OAuth server is, and a client that it knows; null: not known. */
  readonly oauth: { readonly authUrl: string; readonly client: OAuthServer['client'] } | null
}

/** Any server: the suite reads, and writes only as far as it was allowed to. */
export function remote({ baseUrl, token, payer, allowance, journal, oauth }: Remote): Target {
  const exchange = guarded(waitingForItsTurn(exchangeAt(baseUrl)), { token, allowance, journal })
  return {
    name: 'service',
    reach: 'none',
    listens: false, // what needs sockets is tried on emulators
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

/** A host elsewhere may say so of itself and move money all the same. */
export async function isEmulator(baseUrl: string): Promise<boolean> {
  if (!isLoopback(baseUrl)) return false
  const { method, path }: Endpoint = endpoints['payments.serviceStatus']
  const { headers } = await exchangeAt(baseUrl)({ method, url: path, headers: {} })
  return headers[worldHeader.toLowerCase()] !== undefined
}

/** Seconds. */
const longestWait = 120

/** Waits where the service says that there were too many requests: a 429 says that nothing was done. */
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
