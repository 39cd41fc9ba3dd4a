import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a port on which no program listens. The port is below the ports that the system assigns (from 32768 on Linux,
 * 49152 elsewhere). Twelve workers have separate ranges of a thousand ports each, so no other test takes the port
 * first.
 */
export async function freePort(): Promise<number> {
  const first = 20_000 + 1000 * (Number(process.env.VITEST_POOL_ID ?? 0) % 12)
  for (;;) {
    const port = first + Math.floor(Math.random() * 1000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
