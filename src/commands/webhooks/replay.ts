import { Option } from 'commander'
import { duration } from '../arguments.ts'
import type { CommandModule } from '../context.ts'
import { examples } from '../examples.ts'
import { eventList, receiverUrl } from './flags.ts'
import type { ReplayFlags } from './run_replay.ts'

export const replay: CommandModule = (command, context) => {
  command
    .description(
      'Post deliveries that payctl webhooks tail --save has saved, one after the other, with the headers and the bytes ' +
        'they came with. A failed one does not stop the rest. Exit 0 when all got a 2xx, 7 when some were refused, ' +
        '12 when some got a 5xx or no answer, 2 when a line of the file is no delivery.',
    )
    .argument('<file>', 'what was saved, - for stdin')
    .requiredOption('--to <url>', 'where they are posted', receiverUrl)
    .option('--event <names>', 'only these, as a,b (default: all)', eventList)
    .addOption(
      new Option('--delivery-timeout <duration>', 'how long an answer may take')
        .argParser(duration)
        .default(30_000, '30s'),
    )
    .action(async (file: string, flags: ReplayFlags) => {
      const { runReplay } = await import('./run_replay.ts')
      await runReplay(file, flags, context)
    })
  examples(command, [
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook',
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook --event payment.failed --json',
    'tail -n 1 events.ndjson | payctl webhooks replay - --to http://localhost:3000/hook',
  ])
}
