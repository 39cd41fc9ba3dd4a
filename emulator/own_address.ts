import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Of a server; a string is the path of a Unix socket. */
type Listening = () => readonly ({ readonly address: string; readonly port: number } | string)[]

/** Where the emulator itself listens: the one place it never delivers to. */
export class OwnAddress {
  #listening: Listening = () => []

  /** `listening` tells the addresses that a server is bound to. */
  serve(listening: Listening): void {
    this.#listening = listening
  }

  /** Whether a connection to this address of an interface and port ends at the emulator. */
  isReachedAt(address: string, port: number): boolean {
    const target = plain(address)
    return this.#listening().some((own) => {
      if (typeof own === 'string' || own.port !== port) return false
      return isWildcard(own.address) ? isOfThisMachine(target) : plain(own.address) === target
    })
  }

  /** The same for a URL, as far as it shows without asking for the addresses of a name. */
  isNamedBy(url: URL): boolean {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = host === 'localhost' ? loopbacks : isWildcard(host) ? loopbacks : isIP(host) ? [host] : []
    return addresses.some((address) => this.isReachedAt(address, port))
  }
}

const loopbacks = ['127.0.0.1', '::1']

/** Bound to these a server answers on every address of the machine; connecting to them is connecting to loopback. */
const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::'

const isOfThisMachine = (address: string): boolean =>
  address.startsWith('127.') ||
  Object.values(networkInterfaces()).some((own) => own?.some((each) => plain(each.address) === address))

/** Without the zone of a link-local address; an IPv4 address that is written as an IPv6 one is the IPv4 one. */
function plain(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase()
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(bare) ?? []
  if (high === undefined || low === undefined) return bare.replace(/^::ffff:(?=\d+\.)/, '')
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
}

/** `localhost`, 127.0.0.0/8 or [::1], with or without a port. */
export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(:\d{1,5})?$/.exec(host)?.[1]?.toLowerCase()
  return name === 'localhost' || name === '[::1]' || (isIP(name ?? '') === 4 && name?.startsWith('127.') === true)
}
