import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { decoyWorld, defaultWorld, worldPath } from '../../src/contract/index.ts'
import type { Request } from './message.ts'

/** The addresses that the emulator's server listens on now. */
export type ListeningAddresses = () => readonly { readonly address: string; readonly port: number }[]

/**
 * Base URL of an emulator without a port. No name under `invalid` ever resolves, so a request that leaves the process
 * fails. Clients that insist on https accept this URL.
 */
export const portlessUrl = 'https://emulator.invalid'

/** Detects URLs and connections that lead to the emulator itself: it must not deliver webhooks to itself. */
export class OwnAddress {
  readonly #listening: ListeningAddresses
  readonly #hasPort: boolean

  constructor(listening: ListeningAddresses, hasPort: boolean) {
    this.#listening = listening
    this.#hasPort = hasPort
  }

  /** URL at which programs on this machine reach the emulator. */
  get url(): string {
    if (!this.#hasPort) return portlessUrl
    const [{ address, port } = { address: '127.0.0.1', port: 0 }] = this.#listening()
    const reachable = isWildcard(address) ? loopbacks[address === '::' ? 1 : 0] : address
    return `http://${reachable?.includes(':') ? `[${reachable}]` : reachable}:${port}`
  }

  /** True if a connection to this IP address and port reaches the emulator. */
  isReachedAt(address: string, port: number): boolean {
    const target = plain(address)
    return this.#listening().some((own) => {
      if (own.port !== port) return false
      return isWildcard(own.address) ? isOfThisMachine(target) : plain(own.address) === target
    })
  }

  /** True if a URL names the emulator; resolves no names except localhost. */
  isNamedBy(url: URL): boolean {
    if (!this.#hasPort) return url.origin === portlessUrl
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = host === 'localhost' ? loopbacks : isWildcard(host) ? loopbacks : isIP(host) ? [host] : []
    return addresses.some((address) => this.isReachedAt(address, port))
  }
}

const loopbacks = ['127.0.0.1', '::1']

/**
 * A server bound to a wildcard address listens on all addresses of the machine; a client that connects to a wildcard
 * address reaches loopback.
 */
const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::'

const isOfThisMachine = (address: string): boolean =>
  address.startsWith('127.') ||
  Object.values(networkInterfaces()).some((own) => own?.some((each) => plain(each.address) === address))

/** Removes an address's zone; turns an IPv4 address written as IPv6 into IPv4. */
function plain(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase()
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(bare) ?? []
  if (high === undefined || low === undefined) return bare.replace(/^::ffff:(?=\d+\.)/, '')
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
}

/** True for `localhost`, 127.0.0.0/8 or [::1], with or without a port. */
export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(host)?.[1]?.toLowerCase()
  return name === 'localhost' || name === '[::1]' || (isIP(name ?? '') === 4 && name?.startsWith('127.') === true)
}

/** URLs at which clients reach the emulator, derived from the public URL or from the Host of each request. */
export class RequestUrls {
  readonly #public: URL | undefined
  readonly #base: string | undefined

  constructor(publicUrl: string | undefined) {
    if (publicUrl === undefined) return
    this.#public = new URL(publicUrl)
    this.#base = withoutSlash(this.#public.href)
  }

  /** True for the host of the public URL. */
  isPublicHost(host: string): boolean {
    return this.#public !== undefined && host.toLowerCase() === this.#public.host
  }

  /**
   * True for the origin of a page that the emulator served. A proxy may have changed the scheme and the Host, so the
   * origin of the public URL is accepted too.
   */
  isOwnOrigin(origin: string, { scheme, headers: { host } }: Request): boolean {
    return (host !== undefined && origin === `${scheme}://${host}`) || origin === this.#public?.origin
  }

  /** Base URL of the emulator for the client of this request; empty if its Host is malformed. */
  emulator({ scheme, headers: { host = '' } }: Request): string {
    return this.#base ?? (/^[\w.:[\]-]{1,255}$/.test(host) ? `${scheme}://${host}` : '')
  }

  /**
   * URL of a request, without its query. A world's own port identifies the world; below the public URL, only the prefix
   * identifies a world.
   */
  of(request: Request): string {
    const { prefix, path, world } = request
    const named = this.#base === undefined || prefix !== '' || world === defaultWorld || world === decoyWorld
    return `${this.emulator(request)}${named ? prefix : `${worldPath}/${world}`}${path}`
  }
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Names that no public DNS resolves (RFC 6761, 6762, 8375). */
const localName = /^[^.]+$|\.(localhost|test|local|internal|home\.arpa)$/

/** True if a URL leads only to this machine or to a name of its local network. */
export function isLocalUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return isLoopbackHost(hostname) || (!hostname.startsWith('[') && localName.test(hostname))
}
