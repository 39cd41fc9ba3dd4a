import { createHmac } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'

/** Of who asks: random, so that no answer of before fits. */
const Challenge = Type.String({ pattern: '^[0-9A-Za-z_-]{16,128}$' })

/**
 * `proof` is the HMAC-SHA256 of the challenge, in hex, with the secret that the emulator shares with its user
 * alone; `world` is the world that it has now.
 */
export const IdentityProof = Type.Object({ proof: Type.String(), world: Type.String() })
export type IdentityProof = Static<typeof IdentityProof>

export const identityEndpoints = {
  'control.identity': endpoint({
    method: 'GET',
    path: '/_emulator/identity',
    summary: 'Prove to who started it which emulator it is',
    access: 'public',
    query: Type.Object({ challenge: Challenge }),
    success: { status: 200, message: 'Identity proven', data: IdentityProof },
    errors: { 422: null },
  }),
} as const

/** What only a holder of `secret` can answer to a challenge. */
export const identityProof = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex')
