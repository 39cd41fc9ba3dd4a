import { randomBytes } from 'node:crypto'

/** A code or token: 256 random bits, in characters that need no encoding anywhere. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
