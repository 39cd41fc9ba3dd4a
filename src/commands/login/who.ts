import type { Credentials } from '../../auth/credentials.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { printable } from '../../run/sanitise.ts'
import type { Context } from '../context.ts'

/**
 * Whose token it is, by the service that it is for. Undefined where it may not ask that: such a token is good all the
 * same. Throws what the client throws.
 */
export async function whoIs(token: string, baseUrl: string, context: Context): Promise<Credentials['user']> {
  const { createClient } = await import('../../client/create_client.ts')
  const { signal, trace, globals } = context
  const { timeout, retries } = globals
  const proxy = await context.proxyFor(baseUrl)
  const client = createClient({
    baseUrl,
    token,
    signal,
    ...(proxy !== undefined && { proxy }),
    ...(timeout !== undefined && { timeout }),
    ...(retries !== undefined && { retries }),
    ...(trace && { trace }),
  })
  try {
    const user = await client.call('user.get')
    return { id: text(user?.id), name: text(user?.name), email: text(user?.email) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  } finally {
    await client.close()
  }
}

/** The service's own text: it is kept and shown. */
const text = (value: unknown): string => printable(typeof value === 'string' ? value : '').slice(0, 200)
