import type { Context } from '../../commands/context.ts'
import { tellRows } from '../../commands/payments/print_payment.ts'
import type { ResultFile } from '../../commands/payments/result_file.ts'
import { flush } from '../../run/sink.ts'
import type { Tally } from '../batch_result.ts'
import { type ResultRow, resultColumns } from './result_row.ts'

interface Telling {
  readonly tally: Tally
  readonly file: ResultFile | undefined
  readonly context: Context
  /** Milliseconds until the service may be asked again. */
  readonly waiting: () => number
}

/** Writes rows where they are wanted, and counts them. Returns why not all could be written, if so; all are paid. */
export async function tell(rows: AsyncIterable<ResultRow>, telling: Telling): Promise<unknown> {
  const { tally, file, context } = telling
  const done = await progress(telling)
  try {
    return await tellRows(counted(rows, tally), async (told) => {
      if (file) return file.write(told)
      await context.output.stream(told, resultColumns)
      await flush(context.io.stdout)
    })
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
