import { isBrokenPipe } from '../run/sink.ts'

/**
 * Has rows written as they become known. Rows are paid whether or not anybody reads of it: when the reader goes away or
 * the disk is full the rest is done all the same, and then what went wrong is returned, unless a reader had enough.
 */
export async function writeRows<Row>(
  rows: AsyncIterable<Row>,
  write: (rows: AsyncIterable<Row>) => Promise<void>,
): Promise<unknown> {
  const source = rows[Symbol.asyncIterator]()
  const kept: AsyncIterable<Row> = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
  try {
    await write(kept)
    return undefined
  } catch (error) {
    for await (const _ of kept); // what is left
    return isBrokenPipe(error) ? undefined : error
  }
}
