import { defaultWorld, worldPath } from '../../src/contract/index.ts'
import type { Request } from './message.ts'
import { isLoopbackHost } from './own_address.ts'

/** URLs by which clients reach the emulator: from the public URL, or from the Host of each request. */
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

  /** True for the origin of a page that the emulator served. A proxy may have changed scheme and Host. */
  isOwnOrigin(origin: string, { host }: Request['headers']): boolean {
    return origin === `http://${host}` || origin === this.#public?.origin
  }

  /** Base URL of the emulator for the client of this request; empty if its Host is malformed. */
  emulator({ headers: { host = '' } }: Request): string {
    return this.#base ?? (/^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : '')
  }

  /**
   * URL of a request, without its query. A world's own port identifies the world; the public URL must contain the
   * world's prefix.
   */
  of(request: Request): string {
    const { prefix, path, world } = request
    const named = this.#base === undefined || prefix !== '' || world === defaultWorld
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
