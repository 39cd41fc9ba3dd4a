import { defaultWorld, worldPath } from '../src/contract/index.ts'
import type { Request } from './http_message.ts'
import { isLoopbackHost } from './own_address.ts'

/** The URLs by which clients reach the emulator: the public one, or the Host of each request. */
export class RequestUrls {
  readonly #public: URL | undefined
  readonly #base: string | undefined

  constructor(publicUrl: string | undefined) {
    if (publicUrl === undefined) return
    this.#public = new URL(publicUrl)
    this.#base = withoutSlash(this.#public.href)
  }

  /** Whether a request comes under the name of the public URL. */
  isPublicHost(host: string): boolean {
    return this.#public !== undefined && host.toLowerCase() === this.#public.host
  }

  /** Whether it is the origin of a page that the emulator has served. A proxy may have changed scheme and Host. */
  isOwnOrigin(origin: string, { host }: Request['headers']): boolean {
    return origin === `http://${host}` || origin === this.#public?.origin
  }

  /** The base URL of the emulator for the client of this request; empty if its Host is malformed. */
  emulator({ headers: { host = '' } }: Request): string {
    return this.#base ?? (/^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : '')
  }

  /** The URL of a request, without its query. A port of its own says which world is meant; the public URL must say it. */
  of(request: Request): string {
    const { prefix, path, world } = request
    const named = this.#base === undefined || prefix !== '' || world === defaultWorld
    return `${this.emulator(request)}${named ? prefix : `${worldPath}/${world}`}${path}`
  }
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, '')

/** Names that no name server of the internet has an address for (RFC 6761, 6762, 8375). */
const localName = /^[^.]+$|\.(localhost|test|local|internal|home\.arpa)$/

/** Whether a URL leads no further than this machine or its own network's names. */
export function isLocalUrl(url: string): boolean {
  const { hostname } = new URL(url)
  return isLoopbackHost(hostname) || (!hostname.startsWith('[') && localName.test(hostname))
}
