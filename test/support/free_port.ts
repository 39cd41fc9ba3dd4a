import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that nobody listens on. It is below those that the system gives to whoever asks for any (from 32768 on Linux, 49152
 * elsewhere), and each worker has a thousand of its own: nobody takes it before the test does.
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
