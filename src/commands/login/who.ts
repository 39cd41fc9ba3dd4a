import type { Credentials } from '../../auth/credentials.ts'
import { ApiError } from '../../errors/service_errors.ts'
import { printable } from '../../run/sanitise.ts'
import { openClient } from '../connection.ts'
import type { Context } from '../context.ts'

/**
 * Whose token it is, by the service that it is for. Undefined where it may not ask that: such a token is good all the
 * same. Throws what the client throws.
 */
export async function whoIs(token: string, baseUrl: string, context: Context): Promise<Credentials['user']> {
  const client = await openClient(context, baseUrl, { token, signal: context.signal })
  try {
    const { id, name, email } = await client.call('user.get')
    return { id: text(id), name: text(name), email: text(email) }
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  } finally {
    await client.close()
  }
}

/** The service's own text: it is kept and shown. */
const text = (value: string | null | undefined): string => printable(value ?? '').slice(0, 200)
