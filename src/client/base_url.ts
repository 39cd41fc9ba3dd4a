import type { LookupAddress, LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { InvalidRequestError } from '../errors/service_errors.ts'

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path without a final slash; empty for the root. */
  readonly prefix: string
}

/**
 * Reason why a URL can't be used. `problem` completes a sentence that begins with a name for the URL, such as `The base
 * URL`.
 */
interface UrlFault {
  readonly problem: string
  readonly remedy: string
}

const example = 'Give a URL like https://api.example.com'

/** Fault in a service's URL, if any. The result never repeats the URL, which may contain credentials. */
export function baseUrlFault(text: string): UrlFault | undefined {
  if (!URL.canParse(text)) return { problem: 'is not the address of a service.', remedy: example }
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `must begin with https:// or http://, not ${url.protocol}`, remedy: example }
  }
  if (url.username || url.password) {
    return {
      problem: 'must not contain a user name or password.',
      remedy: 'Leave them out: a token identifies the user',
    }
  }
  return url.search || url.hash ? { problem: 'must not contain a query or fragment.', remedy: example } : undefined
}

/** Reason why a secret must not be sent to `url`: secrets never leave this machine unencrypted. */
export function exposure(url: string, proxy?: string): UrlFault | undefined {
  const { protocol, host } = new URL(url)
  if (protocol === 'https:' || (isLoopback(url) && (proxy === undefined || isLoopback(proxy)))) return undefined
  const where = isLoopback(url) ? 'through a proxy on another machine' : `on another machine (${host})`
  return {
    problem: `is http ${where}: anyone on the network path could read the token and move money.`,
    remedy: `Use https://${host}`,
  }
}

/** Throws InvalidRequestError. */
export function parseBaseUrl(text: string): BaseUrl {
  refuse(baseUrlFault(text))
  const { origin, pathname } = parse(text)
  return { origin, prefix: withoutSlash(pathname) }
}

/**
 * Normal form of a URL for storing and comparing: scheme and host in lower case, addresses in their usual form, no
 * default port, no final slash, no dot after the host. localhost, 127.0.0.1 and [::1] stay distinct: each may lead to
 * another process. Text that is not a URL only loses its final slashes.
 */
export function normalUrl(text: string): string {
  if (!URL.canParse(text)) return withoutSlash(text)
  const { href, origin, pathname } = parse(text)
  return withoutSlash(origin === 'null' ? href : `${origin}${pathname}`)
}

function parse(text: string): URL {
  const url = new URL(text)
  url.hostname = url.hostname.replace(/\.$/, '')
  return url
}

const withoutSlash = (text: string): string => text.replace(/(?<!\/)\/+$/, '')

/** Throws InvalidRequestError if a secret would be sent unencrypted. */
export const requireConfidential = (url: string, proxy?: string): void => refuse(exposure(url, proxy))

function refuse(fault: UrlFault | undefined): void {
  if (fault) throw new InvalidRequestError(`The base URL ${fault.problem} ${fault.remedy}.`)
}

/**
 * Scheme, host and port of a proxy's URL. Throws InvalidRequestError, without repeating the URL, which may contain a
 * password.
 */
export function parseProxy(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin
  throw new InvalidRequestError('The proxy must be a URL like http://host:3128, with http or https.')
}

/** The last two alternatives are unspecified addresses, which lead to this machine too. */
const addresses = /^(127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|\[::\])$/

const localNames = /^(.+\.)?localhost$/

/**
 * True if requests to `url` stay on this machine. A name under localhost counts as this machine without a lookup:
 * connect to it with `lookupFor`, which checks the addresses.
 */
export const isLoopback = (url: string): boolean => {
  const hostname = URL.canParse(url) ? new URL(url).hostname : ''
  return addresses.test(hostname) || localNames.test(hostname)
}

/** Options of `connect`: over plain http, a name under localhost must resolve to loopback addresses only. */
export function lookupFor(url: string): { readonly lookup?: LookupFunction } {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && localNames.test(hostname) ? { lookup: loopbackLookup } : {}
}

type LookupCallback = Parameters<LookupFunction>[2]

/** Resolves a name and checks its addresses; the connection then uses exactly these addresses. */
function loopbackLookup(name: string, options: LookupOptions, found: LookupCallback): void {
  const dns = process.getBuiltinModule('node:dns')
  dns.lookup(name, { ...options, all: true }, (error, all) => {
    const [first] = all ?? []
    if (error || !first) return found(error, [])
    const foreign = all.find((one) => !isOwn(one))
    if (foreign) return found(notLoopback(name, foreign), [])
    if (options.all) found(null, all)
    else found(null, first.address, first.family)
  })
}

const isOwn = ({ address, family }: LookupAddress): boolean => addresses.test(family === 6 ? `[${address}]` : address)

const notLoopback = (name: string, { address }: LookupAddress): InvalidRequestError =>
  new InvalidRequestError(
    `${name} is not this machine but ${address}: anyone on the network path could read what is sent over plain http. Use https.`,
  )
