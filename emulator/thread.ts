import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** Does a task in a separate thread, so that other requests are answered meanwhile; resolves with its result. */
export async function inThread<T>(task: unknown): Promise<T> {
  const file = join(import.meta.dirname, `thread_entry${extname(import.meta.filename)}`)
  const [result] = await once(new Worker(file, { workerData: task }), 'message')
  return result as T
}

/**
 * Minimum size of a world's tables, in bytes, at which work on all tables gets a separate thread: such work takes at
 * least 5 ms.
 */
export const largeWorld = 1024 * 1024
