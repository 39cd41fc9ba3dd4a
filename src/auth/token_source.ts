import { type Credentials, canRenew, hasExpired, isDue } from './credentials.ts'
import { expired } from './refusals.ts'

/** Where a client gets its access token, before every attempt. */
export interface TokenSource {
  token(): Promise<string>
  /** After a 401: whether `token` gives another one now. */
  renew(refused: string): Promise<boolean>
}

interface Sources {
  readonly profile: string
  /** Fresher credentials than these, or the same when there are none. `urgent`: these are of no more use. */
  readonly renew: (current: Credentials, urgency: { readonly urgent: boolean }) => Promise<Credentials>
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

/** Milliseconds to leave a renewal alone that failed while the token is still good. */
const pause = 30_000

/** A token that is renewed shortly before it expires, however long the run. All callers share one renewal. */
export function createTokenSource(first: Credentials, sources: Sources): TokenSource {
  let current = first
  let renewing: Promise<void> | undefined
  let notBefore = 0
  const renew = (urgent: boolean): Promise<void> => {
    renewing ??= sources
      .renew(current, { urgent })
      .then((fresh) => {
        current = fresh
      })
      .finally(() => {
        renewing = undefined
      })
    return renewing
  }
  /** The old token serves as long as it lives. */
  const renewEarly = async (): Promise<void> => {
    try {
      await renew(false)
    } catch (error) {
      if (sources.signal.aborted || hasExpired(current, Date.now())) throw error
      notBefore = Date.now() + pause
      sources.note(`The login ends at ${current.expires_at} and could not be renewed yet: ${(error as Error).message}`)
    }
  }
  return {
    async token() {
      const [now, last] = [Date.now(), current.access_token]
      if (hasExpired(current, now)) {
        await renew(true)
        if (current.access_token === last) throw expired(current, sources.profile)
      } else if (isDue(current, now) && canRenew(current) && now >= notBefore) await renewEarly()
      return current.access_token
    },
    async renew(refused) {
      if (current.access_token === refused) await renew(true)
      return current.access_token !== refused
    },
  }
}
