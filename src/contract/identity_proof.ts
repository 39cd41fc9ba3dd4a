import { createHmac } from 'node:crypto'

/** What only a holder of `secret` can answer to a challenge. */
export const identityProof = (secret: string, challenge: string): string =>
  createHmac('sha256', secret).update(challenge).digest('hex')
