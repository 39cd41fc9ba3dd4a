import { InvalidRequestError } from './errors.ts'

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path without a slash at its end; empty for the root. */
  readonly prefix: string
}

/** Throws InvalidRequestError; the message never repeats the text, which may hold credentials. */
export function parseBaseUrl(text: string): BaseUrl {
  if (!URL.canParse(text))
    throw new InvalidRequestError('The base URL is not a URL. Give one like https://host/prefix.')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new InvalidRequestError(`The base URL must be https or http, not ${url.protocol.slice(0, -1)}.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidRequestError('The base URL must not carry credentials. Use a token.')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new InvalidRequestError('The base URL must not have a query or a fragment.')
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** Scheme, host and port of a proxy's URL. Throws InvalidRequestError, which never repeats the text: it may hold a password. */
export function parseProxy(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin
  throw new InvalidRequestError('The proxy must be given as a URL like http://host:3128; http and https can be used.')
}
