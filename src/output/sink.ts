import { once } from 'node:events'

type Stream = NodeJS.WritableStream & { readonly destroyed?: boolean; readonly errored?: Error | null }

/** Writes and waits while the reader is behind. Fails when the stream did, for instance with EPIPE. */
export async function write(stream: Stream, text: string): Promise<void> {
  if (stream.errored) throw stream.errored
  const hasRoom = stream.write(text)
  if (stream.errored) throw stream.errored
  if (hasRoom) return
  await once(stream, 'drain')
}

/** Resolves when everything written has left; fails when it could not. */
export function flush(stream: Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.errored) return reject(stream.errored)
    stream.write('', (error) => (error ? reject(stream.errored ?? error) : resolve()))
  })
}

export const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
