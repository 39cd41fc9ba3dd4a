import { type Static, Type } from 'typebox'
import { endpoint } from '../endpoint.ts'
import { identityPath } from '../identity_proof.ts'

/** Random, so that no earlier answer fits. */
const Challenge = Type.String({
  pattern: '^[0-9A-Za-z_-]{16,128}$',
  description: 'Random, so that no earlier answer fits',
})

/**
 * `proof`: HMAC-SHA256 of the challenge, in hex, with the secret in the emulator's private state file. `world`: id of
 * its current world.
 */
export const IdentityProof = Type.Object({
  proof: Type.String({
    description: 'HMAC-SHA256 of the challenge, in hex, with the secret in the emulator’s private state file',
  }),
  world: Type.String({ description: 'Id of its present default world' }),
})
export type IdentityProof = Static<typeof IdentityProof>

export const identityEndpoints = {
  'control.identity': endpoint({
    method: 'GET',
    path: identityPath,
    summary: 'Prove to who started it which emulator it is',
    description:
      'Who can read the emulator’s private state file knows by the answer that no other program has taken its port.',
    access: 'public',
    query: Type.Object({ challenge: Challenge }),
    success: { status: 200, message: 'Identity proven', data: IdentityProof },
    errors: { 422: null },
  }),
} as const
