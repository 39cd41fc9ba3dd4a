import type { Credentials } from './credentials.ts'
import type { Grant } from './token_endpoint.ts'

/** Reckoned from before the request was sent, by this machine's clock alone: the service's may differ. */
export function expiry({ expiresIn }: Grant, start: number): Pick<Credentials, 'obtained_at' | 'expires_at'> {
  return {
    obtained_at: new Date(start).toISOString(),
    ...(expiresIn !== undefined && { expires_at: new Date(start + expiresIn * 1000).toISOString() }),
  }
}
