import { constants, createReadStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'

// A separate file, because the architecture tests allow sockets only in a few files, and this socket is not a network
// connection.

/**
 * Opens a file or a named pipe as a stream. A file stream would block on a named pipe, and delay the exit of the
 * process. A socket reads the pipe without blocking.
 */
export function readFileOrPipe(path: string): Readable {
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return createReadStream(path)
  return new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), readable: true, writable: false })
}
