import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** The header by which a receiver knows that a delivery comes from the subscription it made. */
export const secretHeader = 'X-Payctl-Tail-Secret'

export const newSecret = (): string => randomBytes(32).toString('base64url')

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Takes the same time whatever was given. */
export const isSecret = (given: string, secret: string): boolean => timingSafeEqual(digest(given), digest(secret))
