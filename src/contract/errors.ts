/** HTTP error statuses of the service and of the emulator, with their meanings. Source: interface, "Errors". */
export const errorStatuses = {
  400: 'invalid request parameters, or X-Idempotency-Key missing on a payment endpoint',
  401: 'authentication invalid or missing',
  403: 'insufficient permissions',
  404: 'resource not found',
  405: 'method not allowed on this path',
  409: 'conflict with the state of the resource',
  410: 'the world of an emulator has ended',
  413: 'request body too large',
  415: 'media type not supported',
  421: 'host name of another server, world of another shard, or world that has moved',
  422: 'validation failure',
  429: 'too many requests',
  500: 'server error',
  503: 'temporarily unavailable',
} as const

export type ErrorStatus = keyof typeof errorStatuses

/**
 * True if the request may be unfinished: a server fault, 408 (the request did not arrive in time), 425 (too early), 499
 * (a server in front gave up).
 */
export const isUnfinished = (status: number): boolean => status >= 500 || [408, 425, 499].includes(status)

/**
 * Statuses that the service returns before it does anything. Other statuses can come from a gateway, after the service
 * has acted.
 */
export const refusalStatuses: readonly ErrorStatus[] = [400, 401, 403, 422, 429]

/** Messages shared by every endpoint that needs a token. */
export const authErrors = { 401: 'Unauthenticated.', 403: 'Invalid scope(s) provided.' } as const

/** Messages of errors that belong to HTTP rather than to one endpoint. */
export const httpErrors = {
  400: 'Bad Request.',
  404: 'Not Found.',
  405: 'Method Not Allowed.',
  410: 'Gone.',
  413: 'The request body is too large.',
  415: 'Unsupported Media Type.',
  421: 'Misdirected Request.',
  422: 'Validation failed',
  429: 'Too Many Attempts.',
  500: 'Server Error',
} as const

/** Message of a 400 for a body that can't be parsed. */
export const badJson = 'The request body is not valid JSON.'
