import type { Client } from '../client/client.ts'
import { isLoopback } from '../client/loopback.ts'
import { worldHeader } from '../contract/headers.ts'
import { ApiError } from '../errors/service_errors.ts'

/** The user whose history is read. The id is empty if the service does not return it or the token may not read it. */
export async function userOf(client: Client): Promise<{ readonly id: string; readonly as: string }> {
  let isEmulator = false
  const stop = client.onAnswer(({ headers }) => {
    isEmulator = headers[worldHeader.toLowerCase()] !== undefined
  })
  const { port, host } = new URL(client.baseUrl)
  const place = () => (isEmulator && isLoopback(client.baseUrl) ? `emulator on port ${port || '80'}` : host)
  try {
    const { id, email } = await client.call('user.get')
    return { id: id ?? '', as: email ? `as ${email}, ${place()}` : `at ${place()}` }
  } catch (error) {
    if (isRefusal(error)) return { id: '', as: `at ${place()}` }
    throw error
  } finally {
    stop()
  }
}

/** True if the service refused one request; the tail continues without its result. A 401 ends the tail. */
export const isRefusal = (error: unknown): error is ApiError => error instanceof ApiError && error.status !== 401
