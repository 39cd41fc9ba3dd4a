import { InvalidRequestError } from '../errors/service_errors.ts'

export type Headers = Readonly<Record<string, string>>

/** Headers that belong to a connection, not to a message. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Throws InvalidRequestError for a name or value that HTTP cannot carry; the message never repeats the value. */
export function checkHeaders(headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new InvalidRequestError(`${JSON.stringify(name)} is not a header name.`)
    }
    if (typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value)) {
      throw new InvalidRequestError(`The value of the header ${name} has characters that a header cannot carry.`)
    }
  }
}

/** Merges sets of headers: a later header replaces an earlier one whose name is the same except for case. */
export function mergeHeaders(...sets: readonly Headers[]): Headers {
  const merged = new Map<string, readonly [string, string]>()
  for (const set of sets) {
    for (const [name, value] of Object.entries(set)) merged.set(name.toLowerCase(), [name, value])
  }
  return Object.fromEntries(merged.values())
}

/** The Authorization header for an access token. Throws InvalidRequestError; the message never repeats the token. */
export function bearer(token: string): Headers {
  if (token === '') throw new InvalidRequestError('The access token is empty.')
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw new InvalidRequestError(
      'The access token has characters that a header cannot carry (a line break or a space?). It was not sent.',
    )
  }
  return { Authorization: `Bearer ${token}` }
}
