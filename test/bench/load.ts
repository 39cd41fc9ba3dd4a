import { connect } from 'node:net'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly milliseconds: number
  /** Returns the bytes of the next request. */
  readonly request: () => string
  readonly expect: number
}

/** Requests answered per second, over keep-alive connections that each wait for an answer before the next request. */
export async function requestsPerSecond(load: Load): Promise<number> {
  const deadline = performance.now() + load.milliseconds
  const started = performance.now()
  const counts = await Promise.all(Array.from({ length: load.connections }, () => converse(load, deadline)))
  return (counts.reduce((sum, count) => sum + count, 0) / (performance.now() - started)) * 1000
}

/** Uses a bare socket: a client library would cost as much as the measured server. */
function converse({ port, request, expect }: Load, deadline: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const status = `HTTP/1.1 ${expect} `
    let count = 0
    let pending = ''
    socket.setEncoding('latin1')
    socket.on('connect', () => socket.write(request()))
    socket.on('error', reject)
    socket.on('data', (chunk: string) => {
      pending += chunk
      const end = pending.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1])
      if (pending.length < end + 4 + length) return
      if (!pending.startsWith(status)) {
        socket.destroy()
        reject(new Error(`Expected ${expect}, got: ${pending.slice(0, 300)}`))
        return
      }
      pending = ''
      count += 1
      if (performance.now() < deadline) socket.write(request())
      else socket.end(() => resolve(count))
    })
  })
}
