import { ApiError } from '../../errors/service_errors.ts'

/** Not every service says in a 403 what the token lacks. */
export async function needingScope<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    throw namingScope(error)
  }
}

/** The same error, or a 403 with the scope in its words. */
export function namingScope(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 403) return error
  const { status, errors, requestId, retryable } = error
  const message = `${error.message.replace(/\.$/, '')}. Webhooks need a token with the scope manage-webhooks.`
  return new ApiError({ status, message, errors, requestId, retryable })
}
