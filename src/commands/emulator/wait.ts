import { Option } from 'commander'
import { duration, integer } from '../../cli/arguments.ts'
import type { CommandModule } from '../../cli/command.ts'
import { examples } from '../../cli/examples.ts'
import { controlled, steer } from '../../cli/steer.ts'
import type { ControlAnswerOf } from '../../client/received.ts'
import { type EventName, eventNames } from '../../contract/event_names.ts'
import { PaymentStatus } from '../../contract/schemas/payment.ts'
import { UsageError } from '../../errors/cli_error.ts'
import { field, status as statusColumn } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { endpointId } from './endpoint_id.ts'
import { worldId } from './world_id.ts'

type Seen = ControlAnswerOf<'control.wait'>

const paymentColumns: readonly Column<Seen>[] = [
  field('payment', ({ payment }) => payment?.id),
  statusColumn('status', ({ payment }) => payment?.status),
]

const deliveryColumns: readonly Column<Seen>[] = [
  field('delivered', ({ deliveries }) => deliveries?.delivered),
  field('pending', ({ deliveries }) => deliveries?.pending),
  field('exhausted', ({ deliveries }) => deliveries?.exhausted),
]

const requestColumns: readonly Column<Seen>[] = [
  field('came', ({ requests }) => requests?.came),
  field('answered', ({ requests }) => requests?.answered),
]

const idleColumns: readonly Column<Seen>[] = [
  field('idle', ({ idle }) => idle !== undefined),
  field('sending', ({ idle }) => idle?.sending),
]

interface Flags {
  readonly payment?: string
  readonly status?: PaymentStatus
  readonly deliveries?: number
  readonly url?: string
  readonly event?: EventName
  readonly requests?: number
  readonly maxRequests?: number
  readonly endpoint?: string
  readonly idle?: true
  readonly waitTimeout: number
}

export const wait: CommandModule = (command, context) => {
  controlled(command)
    .usage('[options] [command]')
    .description(
      'Wait until something has happened. If it has not in time, exit code 6, and the error says what was seen.',
    )
    .option('--payment <payment>', 'until this payment has been in --status: its id, a part of it, or last')
    .addOption(new Option('--status <status>', 'of the payment (default: completed)').choices(PaymentStatus.enum))
    .option('--deliveries <n>', 'until so many webhooks were delivered', integer({ min: 1, max: 1_000_000 }))
    .option('--url <url>', 'count deliveries to this URL only')
    .addOption(new Option('--event <event>', 'count deliveries of this event only').choices(eventNames))
    .option('--requests <n>', 'until so many requests were answered', integer({ min: 1, max: 1_000_000 }))
    .option(
      '--max-requests <n>',
      'until the time is over, with at most so many requests\nmore are exit code 6 at once',
      integer({ min: 0, max: 1_000_000 }),
    )
    .option('--endpoint <id>', 'count requests to this endpoint only; payctl api lists them')
    .option('--idle', 'until nothing is due at any time and nothing is under way')
    .addOption(
      new Option('--wait-timeout <duration>', 'how long, in real time, at most 10m')
        .argParser(duration)
        .default(10_000, '10s'),
    )
    .action(async (flags: Flags) => {
      const given = bodyOf(flags)
      const seen = await steer(command, context, async (control) => {
        const { payment: text, endpoint: id } = given
        const payment = text && (await worldId({ text, kind: 'payment' }, control, context))
        const endpoint = id === undefined ? undefined : await endpointId(id)
        return control.call('control.wait', { body: { ...given, payment, endpoint } })
      })
      await context.output.record(seen, columnsOf(flags))
    })
  examples(command, [
    'payctl emulator wait --idle',
    'payctl emulator wait --payment 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --status completed --wait-timeout 10s',
    'payctl emulator wait --deliveries 3 --url http://127.0.0.1:8080/hook --event payment.completed',
    'payctl emulator wait --requests 2 --endpoint payments.create',
    'payctl emulator wait --max-requests 2 --endpoint payments.create --wait-timeout 500ms',
  ])
  return {
    ready: {
      summary: 'Wait until an emulator answers',
      load: async () => (await import('./wait_ready.ts')).ready,
    },
  }
}

function bodyOf({ payment, status = 'completed', maxRequests: max_requests, waitTimeout, ...flags }: Flags) {
  const { deliveries, url, event, requests, endpoint, idle } = flags
  if ([payment, deliveries, requests, max_requests, idle].filter((each) => each !== undefined).length !== 1) {
    throw new UsageError(
      'What to wait for is missing, or is more than one thing.',
      'Give --payment, --deliveries, --requests, --max-requests or --idle',
    )
  }
  const counted = { deliveries, url, event, requests, max_requests, endpoint }
  return { ...counted, payment, ...(payment !== undefined && { status }), idle, timeout_ms: waitTimeout }
}

function columnsOf({ payment, deliveries, requests, maxRequests }: Flags): readonly Column<Seen>[] {
  if (payment !== undefined) return paymentColumns
  if (requests !== undefined || maxRequests !== undefined) return requestColumns
  return deliveries === undefined ? idleColumns : deliveryColumns
}
