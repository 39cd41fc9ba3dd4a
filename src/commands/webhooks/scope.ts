import { ApiError } from '../../client/errors.ts'

/** Not every service says in a 403 what the token lacks. */
export async function needingScope<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error
    const { status, errors, requestId, retryable } = error
    const message = `${error.message.replace(/\.$/, '')}. Webhooks need a token with the scope manage-webhooks.`
    throw new ApiError({ status, message, errors, requestId, retryable })
  }
}
