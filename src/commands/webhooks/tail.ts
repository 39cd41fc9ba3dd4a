import { duration, integer } from '../../cli/arguments.ts'
import { command, type Input } from '../../cli/command.ts'
import { lines } from '../../cli/prints.ts'
import { conditionList, eventList, receiverUrl, routeList, signingFlags } from './flags.ts'

const flags = {
  '--events <names>': { about: 'only these, as a,b (default: all)', parse: eventList },
  '--forward-to <url>': {
    about: 'post each delivery there, unchanged\nheaders and body alike; 3000/hook: this machine',
    parse: receiverUrl,
  },
  '--route <event=url>': {
    about: 'post an event (a,b) to its own place\nothers go to --forward-to; repeatable',
    parse: routeList,
  },
  '--where <condition>': {
    about: 'only events with status=failed\nor payee.name~carlos, amount.currency!=USD; repeatable',
    parse: conditionList,
  },
  '--save <file>': { about: 'append each to this file, for webhooks replay', of: 'file' },
  '--print-body': { about: 'the whole body under each line\nin csv and tsv a column' },
  '--public-url <url>': {
    about: 'a tunnel by which the service reaches this\nwhere it is not on this machine',
    parse: receiverUrl,
  },
  '--port <n>': {
    about: 'port of the receiver (default: any free one)',
    parse: integer({ min: 0, max: 65_535 }),
  },
  '--limit <n>': { about: 'end after n events', parse: integer({ min: 1 }) },
  '--tail-timeout <duration>': { about: 'end after this time', parse: duration },
  '--recover-interval <duration>': {
    about: 'between two looks at the history',
    parse: duration,
    default: 30_000,
    defaultText: '30s',
  },
  '--no-recover': { about: 'do not look for missed payments' },
  ...signingFlags,
} as const

export type TailFlags = Input<Record<never, never>, typeof flags>

export const tail = command({
  summary: 'Print events as they come; pass them on, or save them',
  about:
    'Print the events of your payments as they come, through a subscription that lives as long as this command. ' +
    'What a killed tail left behind is removed by the next one on this machine.',
  flags,
  prints: lines(async () => (await import('../schema/payment_shapes.ts')).tailEvent),
  columns: async () => (await import('./run_tail.ts')).allColumns(),
  unsorted: true,
  examples: [
    'payctl webhooks tail',
    'payctl webhooks tail --forward-to localhost:3000/hook --route payment.failed=localhost:3000/failed',
    'payctl webhooks tail --where status=failed --where "payee.name~carlos"',
    'payctl webhooks tail --limit 1 --tail-timeout 30s --json | jq -r .data.id',
    'payctl webhooks tail --events payment.completed,payment.failed --forward-to http://localhost:3000/hook',
    'payctl webhooks tail --save events.ndjson',
    'payctl webhooks tail --port 4242 --public-url https://your-tunnel.example/hook',
  ],
  fewExamples: 4,
  details: `
Output: a line for each event on a terminal. Elsewhere, and with --json, a JSON
document a line: received_at, recovered, delivery_id, attempt, event, timestamp,
data (the payment), with --forward-to or --route forward (url, status, error,
duration_ms, answer: the first line of its body), and raw where the body is no
event. csv, tsv and yaml stream too; --columns prints a row for each event, in a
table on a terminal. Events are in the order of their arrival.

Deliveries: the receiver listens on 127.0.0.1 only. What lacks the secret of its
subscription gets 401 and is not shown. A delivery is acknowledged once it is
saved and in line to be printed; with --forward-to its answer is that of the
URL, or 502 where there is none, so that the service tries again. Redirects are
not followed. One that comes again is passed on again, and its answer numbered
under its event. One of more than 1 MiB gets 413. What --where leaves out is
acknowledged, and neither printed, saved nor passed on. The last deliveries are
kept on this machine, 4 MiB of them at most, in a file that only you can read
(payctl help files): payctl webhooks replay last --to <url> posts one again.

Missed payments: at the start, and every --recover-interval, the history is read
back to what this tail or an earlier one has seen. A payment that ended without
an event is printed as recovered; after the start only at the second look, as
its event may be on its way. Ends for which the interface has no event
(timeout, system_error and so on) count as failures. The first tail of all takes
the history as it finds it. What is recovered is made into the event that did
not come, with the header X-Payctl-Recovered: true, saved, and passed on, up to
three times until it is accepted; an end without an event is only printed. It is
not counted by --limit; after a kill -9 it can come twice. A subscription that
the service has suspended or lost is restored at the same intervals.

Exit codes: 0 when stopped by a signal, by its reader's end, by --tail-timeout,
or by --limit. With --limit and fewer events: 130 by a signal, 9 by the timeout.`,
  async run(flags, context) {
    const { runTail } = await import('./run_tail.ts')
    await runTail(flags, context)
  },
})
