import { once } from 'node:events'
import { basename, join } from 'node:path'
import { Worker } from 'node:worker_threads'

/**
 * Runs a file in a separate thread, so that other requests are answered meanwhile; resolves with the thread's only
 * message. `entry`: path of the file in this folder, without its extension; a bundle has it beside its other files.
 */
export async function inThread<T>(entry: string, data: unknown): Promise<T> {
  const isBundle = import.meta.filename.endsWith('.cjs')
  const file = join(import.meta.dirname, isBundle ? `${basename(entry)}.cjs` : `${entry}.ts`)
  const [message] = await once(new Worker(file, { workerData: data }), 'message')
  return message as T
}

/**
 * Minimum size of a world's tables, in bytes, at which work on all tables gets a separate thread: such work takes at
 * least 5 ms.
 */
export const largeWorld = 1024 * 1024
