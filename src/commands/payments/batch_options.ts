import { type Command, Option } from 'commander'
import { concurrency, duration } from '../../cli/arguments.ts'
import type { Context } from '../../cli/command.ts'
import { columnsOption } from '../../cli/list_options.ts'

/** The options of every command that sends the rows of a batch. */
export const sendingOptions = (command: Command, context: Context): Command =>
  columnsOption(command, async () => (await import('./batch_results.ts')).resultLayout(), context)
    .addOption(concurrency('payments under way at a time'))
    .option('--result <file>', 'write the rows to this file, not to stdout\n.csv, .tsv, .json, .ndjson or .xlsx')
    .option('--wait', 'until the payments have ended\nexit 8 if one ended badly, 9 if one is still in progress')
    .addOption(
      new Option('--wait-timeout <duration>', 'time after sending; implies --wait')
        .argParser(duration)
        .default(300_000, '5m')
        .implies({ wait: true }),
    )
