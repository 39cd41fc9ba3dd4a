import { hash } from 'node:crypto'
import { codeVerifierPattern } from '../../src/contract/index.ts'
import { sameSecret } from '../store/digest.ts'

/** Why a verifier does not fit the challenge that came with the authorization request, or null when it does. */
export function pkceFault(challenge: string | null, verifier: string | undefined): string | null {
  if (challenge === null) {
    // Else whoever took the challenge out of the request on its way would go unnoticed (RFC 9700, 2.1.1).
    return verifier === undefined
      ? null
      : 'code_verifier is given, but the authorization request had no code_challenge.'
  }
  if (verifier === undefined) return 'code_verifier is missing.'
  if (!new RegExp(codeVerifierPattern).test(verifier)) return 'code_verifier is malformed.'
  return sameSecret(hash('sha256', verifier, 'base64url'), challenge) ? null : 'code_verifier does not match.'
}
