import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

// In its own file because only here a socket is no connection.

/**
 * Stream of a file or a named pipe. The stream of a file waits for its read, and so does the exit of the process: a
 * socket reads a named pipe without blocking.
 */
export function readFileOrPipe(path: string): Readable {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return createReadStream(path)
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
}
