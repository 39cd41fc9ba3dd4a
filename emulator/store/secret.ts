import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A code or token: 256 random bits, in characters that need no encoding anywhere. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** What is kept of a secret. The secrets are random and long, so a plain hash is as good as a slow one. */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares in a time that tells nothing of where they differ. */
export const matchesDigest = (secret: string, expected: Buffer): boolean => timingSafeEqual(digest(secret), expected)

/** The same for an expected secret that is kept as it is. */
export const sameSecret = (given: string, expected: string): boolean => matchesDigest(given, digest(expected))
