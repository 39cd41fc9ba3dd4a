import { createHmac } from 'node:crypto'

// Without schemas: every run at a running emulator loads this file, and typebox would take several milliseconds.

export const identityPath = '/_emulator/identity'

/** What only a holder of `secret` can answer to a challenge. */
export const identityProof = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex')
