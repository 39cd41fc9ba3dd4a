import { isBrokenPipe } from '../../../output/sink.ts'
import type { Context } from '../../context.ts'
import type { ResultFile } from './result_file.ts'
import { type ResultRow, resultColumns } from './result_row.ts'
import type { Tally } from './tally.ts'

interface Telling {
  readonly tally: Tally
  readonly file: ResultFile | undefined
  readonly context: Context
  /** Milliseconds until the service may be asked again. */
  readonly waiting: () => number
}

/**
 * Writes rows where they are wanted, and counts them. Rows are paid whether or not anybody reads of it: when the reader
 * goes away or the disk is full the rest is treated all the same, and then the failure is thrown.
 */
export async function tell(rows: AsyncIterable<ResultRow>, telling: Telling): Promise<void> {
  const { tally, file, context } = telling
  const source = counted(rows, tally)
  const kept: AsyncIterable<ResultRow> = { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) }
  const done = await progress(telling)
  try {
    await (file ? file.write(kept) : context.output.stream(kept, resultColumns))
  } catch (error) {
    for await (const _ of kept); // what is left
    if (!isBrokenPipe(error)) throw error
  } finally {
    done()
  }
}

/** Rows that go to the same terminal show the progress themselves. */
async function progress({ tally, file, context, waiting }: Telling): Promise<() => void> {
  if (context.io.stdout.isTTY && !file) return () => {}
  const { showProgress } = await import('./progress.ts')
  return showProgress(tally, waiting, context)
}

async function* counted(rows: AsyncIterable<ResultRow>, tally: Tally): AsyncGenerator<ResultRow, void> {
  for await (const row of rows) {
    tally.add(row)
    yield row
  }
}
