import { addAbortSignal, type Readable } from 'node:stream'
import type { Context } from './command.ts'

/** All of stdin. An interruption of the run ends the wait for more with an error. */
export const standardInput = ({ io, signal }: Pick<Context, 'io' | 'signal'>): Readable =>
  addAbortSignal(signal, io.stdin as Readable)
