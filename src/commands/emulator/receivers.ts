import { duration, integer } from '../../cli/arguments.ts'
import { endpointCommand, type RowOf } from '../../cli/endpoint_command.ts'
import { columnsOf, field } from '../../output/columns.ts'

type Receiver = RowOf<'control.receivers.list'>
type ReceiverDetail = RowOf<'control.receivers.get'>

const columns = columnsOf<Receiver>(
  'id',
  field('answer', ({ answer }: Receiver) => answerOf(answer)),
  'arrived',
  { ...field('url'), uncut: true },
)

function answerOf({ status, delay_ms: delay, hang_up: hangsUp }: Receiver['answer']): string {
  const answer = hangsUp ? 'hangs up' : String(status ?? '')
  return delay ? `${answer} after ${delay} ms` : answer
}

const idArgument = { '<id>': { about: 'any name: lower case letters, digits and dashes' } } as const

export const receivers = endpointCommand('control.receivers.list', {
  summary: 'List the built-in receivers of webhooks and their deliveries',
  about:
    'List the built-in receivers of webhooks. Any id names a receiver: subscribe the receiver’s URL, which `show` prints, and see events without ' +
    'writing a receiver.',
  columns,
  none: 'No receivers yet: a receiver exists from its first delivery or setting.',
  examples: ['payctl emulator receivers', 'payctl emulator receivers show shop'],
  commands: { show: () => show, answer: () => answer },
})

const show = endpointCommand('control.receivers.get', {
  summary: 'Show a receiver with its URL and its deliveries.',
  args: idArgument,
  columns: columnsOf<ReceiverDetail>(
    ...columns,
    field('arrivals', ({ arrivals }: ReceiverDetail) =>
      arrivals
        .map(
          ({ delivery_id, attempt, event, signature, status }) =>
            `${delivery_id} ${event}, attempt ${attempt}: ${status ?? 'hung up'}${signature === 'none' ? '' : `, signature ${signature}`}`,
        )
        .join('; '),
    ),
  ),
  examples: ['payctl emulator receivers show shop', 'payctl emulator receivers show shop --jq .arrivals[0].body'],
})

const answer = endpointCommand('control.receivers.set', {
  summary: 'Set the answers of a receiver. Without a flag: 200 at once.',
  args: idArgument,
  flags: {
    '--status <n>': {
      about: 'HTTP status of the receiver’s answers (default: 200)',
      parse: integer({ min: 200, max: 599 }),
    },
    '--delay <duration>': { about: 'wait before each answer: 500ms, 40s', parse: duration, sends: 'delay_ms' },
    '--hang-up': { about: 'close the connection instead of answering' },
  },
  columns,
  examples: ['payctl emulator receivers answer shop --status 500', 'payctl emulator receivers answer shop --delay 40s'],
})
