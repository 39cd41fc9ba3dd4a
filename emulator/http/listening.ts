import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Resolves when the server listens; rejects with the error of `listen`. */
export const listening = (server: Server, at: { host: string; port: number } | { fd: number }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject).listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })

/**
 * Listens at an address, or at all addresses of `localhost`; resolves with a server for each address. Rejects with the
 * error of `listen`, such as EADDRINUSE.
 */
export async function listeningAt(
  { host, port }: { readonly host: string; readonly port: number },
  newServer: () => Server,
): Promise<Server[]> {
  const first = newServer()
  await listening(first, { host, port })
  const servers = [first]
  if (host !== 'localhost') return servers
  const { address: bound, port: given } = first.address() as AddressInfo
  // A name may resolve to an IPv4 and an IPv6 address, and clients may try both.
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(host, { all: true }).catch(() => [])
  // A hosts file may list an address twice.
  for (const address of new Set(found.map(({ address }) => address))) {
    if (address === bound) continue
    const server = newServer()
    try {
      await listening(server, { host: address, port: given })
      servers.push(server)
    } catch (error) {
      // The name may resolve to an IPv6 address on a machine without IPv6.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') continue
      // Another program has this address: clients that try it first would reach that program.
      for (const open of servers) open.close()
      if (port !== 0) throw error
      return listeningAt({ host, port }, newServer)
    }
  }
  return servers
}
