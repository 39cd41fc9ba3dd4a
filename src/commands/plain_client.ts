import type { Client } from '../client/client.ts'
import type { Context } from './context.ts'

interface Terms {
  /** As it stands: it is never renewed. */
  readonly token: string | undefined
  /** Milliseconds for an attempt. */
  readonly timeout: number
}

/** A client that leaves everything as it is: it tries once, and renews no token. To be closed by the caller. */
export async function plainClient(context: Context, { token, timeout }: Terms): Promise<Client> {
  const { signal, trace } = context
  const [{ createClient }, { baseUrl }] = await Promise.all([import('../client/create_client.ts'), context.target()])
  const proxy = await context.proxyFor(baseUrl)
  return createClient({
    baseUrl,
    signal,
    ...(proxy !== undefined && { proxy }),
    timeout,
    retries: 0,
    ...(token !== undefined && { token }),
    ...(trace && { trace }),
  })
}
