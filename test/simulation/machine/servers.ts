import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { machine } from './machine.ts'
import { network } from './network.ts'
import type { SimulatedSocket } from './simulated_socket.ts'

// HTTP servers of processes on the simulated machine.

/** The real function, saved before it is replaced. */
const realClearInterval = clearInterval

/** Undocumented members with which `net.Server` tracks its connections. */
interface Connected {
  _connections: number
  _emitCloseIfDrained(): void
}

/** Replaces `listen` of a server. */
export function listen(this: Server, wanted: number): Server {
  const { process } = machine
  const port = wanted === 0 ? network.freePort() : wanted
  const server = this as unknown as Connected
  let isClosing = false
  network.listen(port, {
    process: () => process,
    accept: (socket: SimulatedSocket) => {
      server._connections += 1
      socket.once('close', () => {
        server._connections -= 1
        if (isClosing) server._emitCloseIfDrained()
      })
      this.emit('connection', socket)
    },
    ...(process && network.incomingOf(process)),
  })
  this.address = (): AddressInfo => ({ address: '127.0.0.1', family: 'IPv4', port })
  const { close } = this
  this.close = (heard) => {
    isClosing = true
    network.forget(port)
    return close.call(this, heard)
  }
  machine.soon(() => {
    this.emit('listening')
    stopLooking(this)
  })
  return this
}

/** Stops a server's checks for slow connections, which use real time. */
function stopLooking(server: Server): void {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connectionsCheckingInterval',
  )
  if (name) realClearInterval((server as unknown as Record<symbol, NodeJS.Timeout>)[name])
}
