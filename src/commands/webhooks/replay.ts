import { Option } from 'commander'
import { duration } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { columnsOption } from '../../cli/list_options.ts'
import { eventList, receiverUrl } from './flags.ts'
import type { ReplayFlags } from './run_replay.ts'
import { addSigningOptions } from './signing.ts'

export const replay: CommandModule = (command, context) => {
  columnsOption(command, async () => (await import('./run_replay.ts')).columns, context)
    .description(
      'Post one delivery again that payctl webhooks tail has received lately, or all that its --save has saved, one ' +
        'after the other, with the headers and the bytes they came with. A failed one does not stop the rest. Exit 0 ' +
        'when all got a 2xx, 7 when some were refused, 12 when some got a 5xx or no answer, 2 when a line of the file ' +
        'is no delivery.',
    )
    .argument(
      '<what>',
      'a file, - for stdin; or of one delivery: last, its id, the number in it, or the end of its payment’s id',
    )
    .requiredOption('--to <url>', 'where they are posted', receiverUrl)
    .option('--event <names>', 'only these, as a,b (default: all)', eventList)
    .addOption(
      new Option('--delivery-timeout <duration>', 'how long an answer may take')
        .argParser(duration)
        .default(30_000, '30s'),
    )
  addSigningOptions(command)
  command.action(async (what: string, flags: ReplayFlags) => {
    const { runReplay } = await import('./run_replay.ts')
    await runReplay(what, flags, context)
  })
  examples(command, [
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook',
    'payctl webhooks replay last --to http://localhost:3000/hook',
    'payctl webhooks replay whd_000000000012 --to https://staging.example.com/hook',
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook --event payment.failed --json',
    'tail -n 1 events.ndjson | payctl webhooks replay - --to http://localhost:3000/hook',
  ])
}
