/** A receiver in this process: a function that gets a delivery as a request and returns the answer. */
export type ReceivingFunction = (request: Request) => Response | Promise<Response>

/** Finds the function that takes the deliveries of a world to a URL. */
export type FunctionAt = (world: string, url: URL) => ReceivingFunction | undefined

/**
 * Hands a delivery to a function of this process. Rejects if the function throws: there is then no answer, as if the
 * receiver had closed the connection.
 */
export async function handOver(
  take: ReceivingFunction,
  url: URL,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<Response> {
  const length = String(Buffer.byteLength(body))
  const request = new Request(url, { method: 'POST', headers: { ...headers, 'Content-Length': length }, body, signal })
  const response: unknown = await inTime(take(request), signal)
  if (response instanceof Response) return response
  throw new Error('The receiving function did not return a Response')
}

/** Rejects as soon as the signal aborts, even if the work continues. */
export async function inTime<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, late])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
