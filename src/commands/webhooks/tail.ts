import { duration, integer } from '../../cli/arguments.ts'
import { command, type Input } from '../../cli/command.ts'
import { lines } from '../../cli/prints.ts'
import { conditionList, eventList, receiverUrl, routeList, signingFlags } from './flags.ts'

const flags = {
  '--events <names>': { about: 'events, as a,b (default: all)', parse: eventList },
  '--forward-to <url>': {
    about: 'URL to post each delivery to; 3000/hook: this machine\nbody and headers are posted unchanged',
    parse: receiverUrl,
  },
  '--route <event=url>': {
    about: 'separate URL for events (a,b)\nother events go to --forward-to; repeatable',
    parse: routeList,
  },
  '--where <condition>': {
    about: 'only events that match, such as status=failed\nor payee.name~carlos, amount.currency!=USD; repeatable',
    parse: conditionList,
  },
  '--save <file>': { about: 'file to append deliveries to, for payctl webhooks replay', of: 'file' },
  '--print-body': { about: 'print the body under each line\nin csv and tsv, as a column' },
  '--public-url <url>': {
    about: 'URL of a tunnel by which the service reaches this machine\nneeded if the service is on another machine',
    parse: receiverUrl,
  },
  '--port <n>': {
    about: 'port of the receiver (default: any free port)',
    parse: integer({ min: 0, max: 65_535 }),
  },
  '--limit <n>': { about: 'end after n events', parse: integer({ min: 1 }) },
  '--tail-timeout <duration>': { about: 'end after this time', parse: duration },
  '--recover-interval <duration>': {
    about: 'interval between reads of the history',
    parse: duration,
    default: 30_000,
    defaultText: '30s',
  },
  '--no-recover': { about: 'do not look for missed payments' },
  ...signingFlags,
} as const

export type TailFlags = Input<Record<never, never>, typeof flags>

export const tail = command({
  summary: 'Print events as they arrive; forward or save them',
  about:
    'Print the events of your payments as they arrive, through a subscription that exists as long as this command ' +
    'runs. If the command is killed, the next payctl webhooks tail on this machine removes the old subscription.',
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
Output on a terminal: a line for each event. Otherwise, and with --json, a JSON
document per line: received_at, recovered, delivery_id, attempt, event,
timestamp, data (the payment). With --forward-to or --route the document also
has forward (url, status, error, duration_ms, and answer: the first line of the
answer's body). If the body is not an event, the document has the body as raw.
csv, tsv and yaml stream too; --columns prints a row for each event, in a table
on a terminal. Events are in the order of their arrival.

Deliveries: the receiver listens on 127.0.0.1 only. A request without the secret
of the subscription gets 401 and is not shown; a request of more than 1 MiB gets
413. A delivery is acknowledged once it is saved and queued to be printed. With
--forward-to, the service gets the answer of the URL. If the URL does not
answer, the service gets 502 and tries again. Redirects are not followed. A
repeated delivery is forwarded again, and the answer is printed below the event,
with the number of the attempt. Deliveries that --where excludes are
acknowledged, but not printed, saved or forwarded. The last deliveries are
stored on this machine, at most 4 MiB, in a file that only you can read (payctl
help files). payctl webhooks replay last --to <url> posts the last delivery
again.

Missed payments: at the start, and every --recover-interval, the history is read
back to the last payment that this tail or an earlier tail has seen. A payment
that ended without an event is printed as recovered. After the start, such a
payment is printed only at the second reading, because its event may be on its
way. For --events, a final status without an event in the interface (timeout,
system_error and so on) counts as payment.failed. The first tail on a machine
does not recover payments that had already ended. payctl generates the missing
event from a recovered payment, with the header X-Payctl-Recovered: true. payctl
saves this event, and forwards it at most three times until it is accepted. For
a final status without an event, payctl only prints the payment. --limit does
not count recovered payments; after a kill -9 they can be printed twice. A
subscription that the service has suspended or lost is restored at the same
intervals.

Exit codes: 0 after a signal, --tail-timeout or --limit, or when the reader of
the output ends. With --limit and fewer events: 130 after a signal, 9 after the
timeout.`,
  async run(flags, context) {
    const { runTail } = await import('./run_tail.ts')
    await runTail(flags, context)
  },
})
