import type { LookupAddress, LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { InvalidRequestError } from '../errors/service_errors.ts'

/** The last two are unspecified addresses, which lead to this machine too. */
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

/** The connection uses the checked addresses. */
function loopbackLookup(name: string, options: LookupOptions, found: LookupCallback): void {
  const dns = process.getBuiltinModule('node:dns')
  dns.lookup(name, { ...options, all: true }, (error, all) => {
    const [first] = all ?? []
    if (error || !first) return found(error, [])
    const stranger = all.find((one) => !isOwn(one))
    if (stranger) return found(elsewhere(name, stranger), [])
    if (options.all) found(null, all)
    else found(null, first.address, first.family)
  })
}

const isOwn = ({ address, family }: LookupAddress): boolean => addresses.test(family === 6 ? `[${address}]` : address)

const elsewhere = (name: string, { address }: LookupAddress): InvalidRequestError =>
  new InvalidRequestError(
    `${name} is not this machine but ${address}: anybody on the way could read what is sent over plain http. Use https.`,
  )
