import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { EventName } from '../contract/event_names.ts'
import { UsageError } from '../errors/cli_error.ts'
import { fileFault } from '../files/file_fault.ts'
import type { Delivery } from './delivery.ts'
import { eventOf, type TailEvent } from './event.ts'
import { Forwarder, type Outcome, type Signing } from './forward.ts'
import { deliveryIn, lineOf, recentDelivery } from './saved_deliveries.ts'

interface ReplayOptions {
  /** Target URL. */
  readonly to: string
  /** Events to post; undefined: all. */
  readonly events?: readonly EventName[] | undefined
  /** Time limit for an answer, in milliseconds. */
  readonly timeout: number
  readonly signing?: Signing | undefined
  readonly signal: AbortSignal
  /** Called with the number of each line without a delivery, from 1. */
  readonly onUnreadable: (line: number, reason: string) => void
}

export interface ReplayedDelivery {
  /** Line of the file, from 1. */
  readonly line: number
  readonly event: TailEvent
  readonly outcome: Outcome
}

/** Posts saved deliveries in sequence, and yields each with the target's answer. */
export async function* replay(
  lines: AsyncIterable<string>,
  { to, events, timeout, signing, signal, onUnreadable }: ReplayOptions,
): AsyncGenerator<ReplayedDelivery, void, undefined> {
  const forwarder = new Forwarder(to, { timeout, signing })
  const stop = () => void forwarder.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    let line = 0
    for await (const text of lines) {
      line += 1
      if (text.trim() === '') continue
      const delivery = readDelivery(text)
      if (delivery instanceof Error) {
        onUnreadable(line, delivery.message)
        continue
      }
      const event = eventOf(delivery)
      if (events && !(events as readonly (string | null)[]).includes(event.event)) continue
      const outcome = await forwarder.send(delivery)
      signal.throwIfAborted()
      yield { line, event, outcome }
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await forwarder.close()
  }
}

function readDelivery(line: string): Delivery | Error {
  try {
    return deliveryIn(line)
  } catch (error) {
    return error as Error
  }
}

/**
 * Finds the line of a recent delivery to a tail on this machine. Throws UsageError unless `which` selects one delivery.
 */
export async function recentLine(stateDir: string, which: string): Promise<AsyncIterable<string>> {
  const line = lineOf(await recentDelivery(stateDir, which))
  return linesOf(async function* () {
    yield line
  })
}

/** Reads the lines of a file; `-` is `stdin`. Throws UsageError if the file cannot be read. */
export async function savedLines(file: string, stdin: () => NodeJS.ReadableStream): Promise<AsyncIterable<string>> {
  if (file === '-') return linesOf(() => createInterface({ input: stdin(), crlfDelay: Number.POSITIVE_INFINITY }))
  const handle = await open(file).catch((error) => readError(file, String(fileFault(error))))
  if (!(await handle.stat()).isDirectory()) return linesOf(() => handle.readLines())
  await handle.close()
  return readError(file, 'it is a folder')
}

/** Starts to read when the first line is requested, because `readline` loses lines that arrive earlier. */
async function* linesOf(read: () => AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield* read()
}

function readError(file: string, reason: string): never {
  throw new UsageError(`${file} can't be read: ${reason}.`, { kind: 'name_saved_deliveries' })
}
