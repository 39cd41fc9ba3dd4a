import { hash, timingSafeEqual } from 'node:crypto'
import { machineRandom, type RandomBytes } from '../random.ts'

/**
 * Generates a code, token or secret: 256 random bits in base64url, which needs no encoding in URLs, forms or headers.
 */
export const newSecret = (draw: RandomBytes = machineRandom.secrets): string => draw(32).toString('base64url')

/**
 * Generates an access token. The prefix names the token's purpose, and prevents a `-` at the start, which spreadsheets
 * and command lines would misread.
 */
export const newToken = (draw?: RandomBytes): string => `payctl_token_${newSecret(draw)}`

/** Generates a secret of an OAuth client, with a prefix for the same reasons. */
export const newClientSecret = (draw?: RandomBytes): string => `payctl_client_${newSecret(draw)}`

/** Digest of a secret, as stored. A fast hash is safe because secrets are long and random. */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares a secret with a digest, in constant time. */
export const matchesDigest = (secret: string, expected: Buffer): boolean => timingSafeEqual(digest(secret), expected)

/** Compares two secrets in constant time. */
export const sameSecret = (given: string, expected: string): boolean => matchesDigest(given, digest(expected))

/** A secret, or its digest if the secret itself is unknown. */
export type SecretOrDigest = string | Buffer

export const digestOf = (secret: SecretOrDigest): Buffer => (typeof secret === 'string' ? digest(secret) : secret)
