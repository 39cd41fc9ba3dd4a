import { duration } from '../../cli/arguments.ts'
import { command, type Input } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { eventList, receiverUrl, signingFlags } from './flags.ts'

const flags = {
  '--to <url>': { about: 'URL to post to', required: true, parse: receiverUrl },
  '--event <names>': { about: 'events, as a,b (default: all)', parse: eventList },
  '--delivery-timeout <duration>': {
    about: 'time limit for an answer',
    parse: duration,
    default: 30_000,
    defaultText: '30s',
  },
  ...signingFlags,
} as const

export type ReplayFlags = Input<Record<never, never>, typeof flags>

export const replay = command({
  summary: 'Post saved deliveries again',
  about:
    'Post a delivery that payctl webhooks tail has received recently, or all deliveries that payctl webhooks tail ' +
    '--save has saved, one after another, with the original headers and bytes. A failed delivery does not stop the ' +
    'later deliveries. Exit 0 when all got a 2xx, 7 when some were refused, 12 when some got a 5xx or no answer, 2 ' +
    'when a line of the file is not a delivery.',
  args: {
    '<what>': {
      about: 'file; - for stdin; last; or a delivery: its id, the number in that id, or the end of the payment’s id',
      of: 'file',
    },
  },
  flags,
  prints: array(async () => (await import('../schema/payment_shapes.ts')).replayed),
  columns: async () => (await import('./run_replay.ts')).layout,
  unsorted: true,
  examples: [
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook',
    'payctl webhooks replay last --to http://localhost:3000/hook',
    'payctl webhooks replay whd_000000000012 --to https://staging.example.com/hook',
    'payctl webhooks replay events.ndjson --to http://localhost:3000/hook --event payment.failed --json',
    'tail -n 1 events.ndjson | payctl webhooks replay - --to http://localhost:3000/hook',
  ],
  async run({ what, ...flags }, context) {
    const { runReplay } = await import('./run_replay.ts')
    await runReplay(what, flags, context)
  },
})
