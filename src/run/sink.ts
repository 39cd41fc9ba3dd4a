type Stream = NodeJS.WritableStream & {
  readonly errored?: Error | null
  readonly writableLength?: number
}

/** How long an interrupted run waits for a reader that does not read, in milliseconds. */
const stallTimeoutMs = 1000

/**
 * Resolves when the text, or the bytes, have left. Fails when the stream did, for instance with EPIPE, and when nobody
 * reads on after the signal has aborted. Node's own stdout forgets an error: only the callback of each write tells.
 */
export async function write(stream: Stream, content: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored
  const left = new Promise<void>((resolve, reject) => {
    stream.write(content, (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
  if (await isStalled(left, signal)) throw new Error('Interrupted while nobody read the output.')
}

/** Resolves when everything written has left, or when nobody reads on after the signal; fails when the stream did. */
export async function flush(stream: Stream, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored
  if (stream.writableLength === 0) return
  const left = new Promise<void>((resolve, reject) => {
    stream.write('', (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
  await isStalled(left, signal)
}

/** False once it is written; true when that takes too long after the signal: no reader may keep a run from ending. */
async function isStalled(written: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  const done = new AbortController()
  const stalled = new Promise<true>((resolve) => {
    const wait = () => {
      const timer = setTimeout(resolve, stallTimeoutMs, true)
      done.signal.addEventListener('abort', () => clearTimeout(timer))
    }
    if (signal?.aborted) wait()
    else signal?.addEventListener('abort', wait, { once: true, signal: done.signal })
  })
  try {
    return await Promise.race([written.then(() => false), stalled])
  } finally {
    done.abort()
  }
}

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
