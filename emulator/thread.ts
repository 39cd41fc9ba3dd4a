import { once } from 'node:events'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { Refusal } from './domain/refusal.ts'
import { Slots } from './slots.ts'

/** Each thread can use a whole core, and memory for several copies of a world. */
const slots = new Slots(2)

/** The caller for whom a thread works. */
export interface ThreadCaller {
  /** Null for the administrator, and if the emulator has no teams. */
  readonly team: string | null
  /** Aborted when the client disconnects. */
  readonly gone?: AbortSignal | undefined
}

/**
 * Does a task in a separate thread, so that other requests are answered in the meantime; resolves with the result.
 * `task` is called when a thread is free, so that waiting tasks need little memory.
 */
export async function inThread<T>(task: () => unknown, { team, gone }: ThreadCaller): Promise<T> {
  const leave = await slots.take(team, gone)
  if (leave === null) throw new Refusal(503, { message: 'The client disconnected.' })
  try {
    const file = join(import.meta.dirname, `thread_entry${extname(import.meta.filename)}`)
    const [result] = await once(new Worker(file, { workerData: await task() }), 'message')
    return result as T
  } finally {
    leave()
  }
}

/**
 * Minimum size of a world's tables, in bytes, at which work on all tables gets a separate thread: such work takes at
 * least 5 ms.
 */
export const largeWorld = 1024 * 1024
