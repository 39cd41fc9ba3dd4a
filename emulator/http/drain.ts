import { Server } from 'node:http'
import type { RealTimeout } from '../clock.ts'

/**
 * Time for clients to send another request on an open connection, in milliseconds. The answer to that request closes
 * the connection. If the emulator closed a connection earlier, it could lose a request that is already on its way.
 */
const idleGrace = 250

/** Time limit for all requests under way, in milliseconds. */
const longest = 5000

/** The `close` of a TCP server: the `close` of an HTTP server would drop idle connections at once. */
const { close } = Object.getPrototypeOf(Server.prototype) as Server

/** Interval between checks for connections that have become idle, in milliseconds. */
const check = 20

/**
 * Stops accepting connections, and resolves when the last connection is closed or the time is up. The caller makes sure
 * that each connection closes with its next answer. `limit` starts a time limit.
 */
export async function drain(servers: readonly Server[], limit: (ms: number) => RealTimeout): Promise<void> {
  let isDone = false
  const closed = servers.map((server) => new Promise((resolve) => close.call(server, resolve)))
  const done = Promise.all(closed).then(() => {
    isDone = true
  })
  const pause = (ms: number) => new Promise((resolve) => limit(ms).signal.addEventListener('abort', resolve))
  const end = limit(longest).signal
  await Promise.race([done, pause(idleGrace)])
  while (!isDone && !end.aborted) {
    for (const server of servers) server.closeIdleConnections()
    await Promise.race([done, pause(check)])
  }
}
