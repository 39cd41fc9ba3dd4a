import { type Dispatcher, type Pool, ProxyAgent } from 'undici'
import { lookupFor } from './loopback.ts'

/**
 * Connections through a proxy. Every one is a tunnel, so that what answers is the service: a proxy that is told the
 * request itself could answer it, and would see the token.
 */
export const throughProxy = (proxy: string, settings: Pool.Options, closing: AbortSignal): Dispatcher =>
  new ProxyAgent({
    ...settings,
    uri: proxy,
    proxyTunnel: true,
    proxyTls: { ...lookupFor(proxy), signal: closing } as object,
  })
