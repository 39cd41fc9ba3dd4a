import { randomBytes } from 'node:crypto'
import { duration, integer } from '../../cli/arguments.ts'
import { type Context, command, type Input } from '../../cli/command.ts'
import type { RowOf } from '../../cli/endpoint_command.ts'
import { answer, object } from '../../cli/prints.ts'
import { controlFlags, steer } from '../../cli/steer.ts'
import { checkedUrl } from '../../config/base_url.ts'
import { eventNames } from '../../contract/event_names.ts'
import { PaymentStatus } from '../../contract/schemas/payment.ts'
import { CliError, reasonOf, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, field, status as statusColumn } from '../../output/columns.ts'
import type { Column } from '../../output/output.ts'
import { monotonicClock, pause } from '../../real_time.ts'
import { endpointId } from './faults.ts'
import { worldId } from './world_id.ts'

type Seen = RowOf<'control.wait'>

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

const counter = integer({ min: 1, max: 1_000_000 })

const flags = {
  ...controlFlags,
  '--payment <payment>': {
    about: 'wait until this payment reaches --status: id, part of the id, or last',
    of: 'payment',
  },
  '--status <status>': { about: 'status of the payment (default: completed)', choices: PaymentStatus.enum },
  '--deliveries <n>': { about: 'wait for this number of webhook deliveries', parse: counter },
  '--url <url>': { about: 'count only deliveries to this URL' },
  '--event <event>': { about: 'count only deliveries of this event', choices: eventNames },
  '--requests <n>': { about: 'wait for this number of answered requests', parse: counter },
  '--max-requests <n>': {
    about: 'wait until the time limit, and allow at most this many requests\nexit code 6 at once if there are more',
    parse: integer({ min: 0, max: 1_000_000 }),
  },
  '--endpoint <id>': { about: 'count only requests to this endpoint; payctl api lists endpoints' },
  '--idle': { about: 'wait until nothing is due and no delivery is being sent' },
  '--wait-timeout <duration>': {
    about: 'time limit in real time, at most 10m (default: 10s)',
    parse: duration,
  },
} as const

type Flags = Input<Record<never, never>, typeof flags>

export const wait = command({
  summary: 'Wait for a payment, deliveries or requests',
  about:
    'Wait for a status of a payment, for deliveries or requests, or until nothing is due. If the time limit passes first, the command exits with 6, and the error shows the last state.',
  flags,
  prints: answer('control.wait'),
  examples: [
    'payctl emulator wait --idle',
    'payctl emulator wait --payment 3f2504e0-4f89-41d3-9a0c-0305e82c3301 --status completed --wait-timeout 10s',
    'payctl emulator wait --deliveries 3 --url http://127.0.0.1:8080/hook --event payment.completed',
    'payctl emulator wait --requests 2 --endpoint payments.create',
    'payctl emulator wait --max-requests 2 --endpoint payments.create --wait-timeout 500ms',
  ],
  commands: { ready: () => ready },
  async run(flags, context) {
    const given = bodyOf(flags)
    const seen = await steer(flags, context, async (control) => {
      const { payment: text, endpoint: id } = given
      const payment = text && (await worldId({ text, kind: 'payment' }, control, context))
      const endpoint = id === undefined ? undefined : await endpointId(id)
      return control.call('control.wait', { body: { ...given, payment, endpoint } })
    })
    await context.output.record(seen, columnsFor(flags))
  },
})

function bodyOf({ payment, status, maxRequests: max_requests, waitTimeout = 10_000, ...flags }: Flags) {
  const { deliveries, url, event, requests, endpoint, idle } = flags
  if ([payment, deliveries, requests, max_requests, idle].filter((each) => each !== undefined).length !== 1) {
    throw new UsageError(
      'The wait needs exactly one condition.',
      'Give --payment, --deliveries, --requests, --max-requests or --idle',
    )
  }
  const limits = [
    ['--status', status, payment],
    ['--url', url, deliveries],
    ['--event', event, deliveries],
    ['--endpoint', endpoint, requests ?? max_requests],
  ] as const
  const [unused] = limits.find(([, limit, condition]) => limit !== undefined && condition === undefined) ?? []
  if (unused) {
    throw new UsageError(
      `${unused} has no effect with this condition.`,
      '--status is for --payment, --url and --event are for --deliveries, --endpoint is for --requests and --max-requests',
    )
  }
  const counted = { deliveries, url, event, requests, max_requests, endpoint }
  return {
    ...counted,
    payment,
    ...(payment !== undefined && { status: status ?? 'completed' }),
    idle,
    timeout_ms: waitTimeout,
  }
}

function columnsFor({ payment, deliveries, requests, maxRequests }: Flags): readonly Column<Seen>[] {
  if (payment !== undefined) return paymentColumns
  if (requests !== undefined || maxRequests !== undefined) return requestColumns
  return deliveries === undefined ? idleColumns : deliveryColumns
}

export interface Answering {
  readonly base_url: string
  /** Id of the emulator's default world. */
  readonly world: string
}

export const ready = command({
  summary: 'Wait until an emulator answers',
  about:
    'Wait until an emulator answers: the one at --base-url or PAYCTL_BASE_URL, or the one that --emulator=name names, ' +
    'otherwise one that you have started on this machine. Needs no token. If no emulator answers in time, the exit code is 12.',
  flags: { '--wait-timeout <duration>': { about: 'time limit (default: 30s)', parse: duration } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).answering),
  examples: [
    'payctl emulator wait ready',
    'payctl emulator wait ready --base-url http://127.0.0.1:4010 --wait-timeout 10s',
  ],
  async run({ waitTimeout = 30_000 }, context) {
    const { globals, env, signal } = context
    const isOwn = globals.emulator !== undefined || globals.profile !== undefined
    const named = globals.baseUrl ?? (isOwn ? undefined : env.PAYCTL_BASE_URL)
    const look = named === undefined ? () => ownEmulator(context) : () => emulatorAt(named, context)
    const found = await within(waitTimeout, look, signal)
    await context.output.record(found, columnsOf<Answering>('base_url', 'world'))
  },
})

/** Pause between two attempts, and time limit of each, in milliseconds. */
const interval = 100
const attemptTimeout = 2000

/** Calls `look` until it succeeds. If the time limit passes, throws an error whose cause is the last error. */
async function within<T>(milliseconds: number, look: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const latest = monotonicClock() + milliseconds
  for (;;) {
    try {
      return await look()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CliError && error.exit === 'usage') throw error
      if (monotonicClock() > latest) throw late(milliseconds, error)
    }
    await pause(interval, signal)
  }
}

const late = (milliseconds: number, error: unknown): CliError =>
  new CliError(
    'unavailable',
    `No emulator was ready within ${milliseconds / 1000} s. Last attempt: ${reasonOf(error)}.`,
    toRun(['emulate']),
    { cause: error },
  )

/** Finds the emulator that the flag names, or else the newest emulator. */
async function ownEmulator(context: Context): Promise<Answering> {
  const { globals, stateDir, signal } = context
  const [{ runningEmulators }, { provenEmulators }] = await Promise.all([
    import('../../config/running_emulators.ts'),
    import('../../config/proven_emulators.ts'),
  ])
  const { proven, doubtful } = await provenEmulators(runningEmulators(stateDir), { signal, timeout: attemptTimeout })
  if (typeof globals.emulator === 'string') {
    const { emulatorNamed } = await import('../../config/named_emulator.ts')
    return emulatorAt((await emulatorNamed(globals.emulator, { proven, doubtful }, signal)).baseUrl, context)
  }
  const [newest] = proven
  if (newest) return { base_url: newest.base_url, world: newest.world }
  const [silent] = doubtful
  throw new Error(silent ? `the emulator announced at ${silent.base_url} does not answer.` : 'none is running.')
}

/** Does not check the emulator's identity, because the request contains no secret. */
async function emulatorAt(url: string, { signal, trace }: Context): Promise<Answering> {
  const baseUrl = checkedUrl(url, 'The base URL', undefined)
  const { createControlClient } = await import('../../client/control_client.ts')
  const control = createControlClient({ baseUrl, signal, retries: 0, timeout: attemptTimeout, ...(trace && { trace }) })
  try {
    const query = { challenge: randomBytes(24).toString('base64url') }
    const { world } = await control.call('control.identity', { query })
    if (typeof world !== 'string') throw new Error(`the server at ${baseUrl} is not an emulator.`)
    return { base_url: baseUrl, world }
  } finally {
    await control.close()
  }
}
