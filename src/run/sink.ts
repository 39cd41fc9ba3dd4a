import { clearTimeout, setTimeout } from '../real_time.ts'

type Stream = NodeJS.WritableStream & {
  readonly errored?: Error | null
  readonly writableLength?: number
}

/** Milliseconds that an interrupted run waits for a stalled reader. */
const stallTimeoutMs = 1000

/**
 * Resolves when the content is written. Fails if the stream fails, for example with EPIPE, or if the reader stalls
 * after the signal has aborted. Node's own stdout forgets an error: only the callback of each write reports it.
 */
export async function write(stream: Stream, content: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored
  const left = new Promise<void>((resolve, reject) => {
    stream.write(content, (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
  if (await isStalled(left, signal)) throw new Error('Interrupted while nobody read the output.')
}

/** Resolves when all output is written, or when the reader stalls after the signal. Fails if the stream fails. */
export async function flush(stream: Stream, signal?: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored
  if (stream.writableLength === 0) return
  const left = new Promise<void>((resolve, reject) => {
    stream.write('', (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
  await isStalled(left, signal)
}

/**
 * Resolves to false when the write is done, or to true if the write takes too long after the signal: a reader
 * must not prevent a run from ending.
 */
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
