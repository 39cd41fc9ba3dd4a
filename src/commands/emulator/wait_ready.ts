import { randomBytes } from 'node:crypto'
import { duration } from '../../cli/arguments.ts'
import { type Context, command } from '../../cli/command.ts'
import { object } from '../../cli/prints.ts'
import { checkedUrl } from '../../config/base_url.ts'
import { CliError, reasonOf } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf } from '../../output/columns.ts'
import { monotonicClock, pause } from '../../real_time.ts'

export interface Answering {
  readonly base_url: string
  /** Id of its present world. */
  readonly world: string
}

export const ready = command({
  summary: 'Wait until an emulator answers',
  about:
    'Wait until an emulator answers: the one at --base-url or PAYCTL_BASE_URL, else one that you have started on this ' +
    'machine. It needs no token. If none answers in time, exit code 12.',
  flags: { '--wait-timeout <duration>': { about: 'how long (default: 30s)', parse: duration } },
  prints: object(async () => (await import('../schema/machine_shapes.ts')).answering),
  examples: [
    'payctl emulator wait ready',
    'payctl emulator wait ready --base-url http://127.0.0.1:4010 --wait-timeout 10s',
  ],
  async run({ waitTimeout = 30_000 }, context) {
    const { globals, env, signal } = context
    const isOwn = globals.emulator === true || globals.profile !== undefined
    const named = globals.baseUrl ?? (isOwn ? undefined : env.PAYCTL_BASE_URL)
    const look = named === undefined ? () => ownEmulator(context) : () => emulatorAt(named, context)
    const found = await within(waitTimeout, look, signal)
    await context.output.record(found, columnsOf<Answering>('base_url', 'world'))
  },
})

/** Milliseconds between two attempts, and for each of them. */
const interval = 100
const attemptTimeout = 2000

/** Looks until it finds something; in the end throws what came in its way last. */
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
    `No emulator was ready within ${milliseconds / 1000} s. At the last look: ${reasonOf(error)}.`,
    toRun(['emulate']),
    { cause: error },
  )

async function ownEmulator({ stateDir, signal }: Context): Promise<Answering> {
  const [{ runningEmulators }, { provenEmulators }] = await Promise.all([
    import('../../config/running_emulators.ts'),
    import('../../config/proven_emulators.ts'),
  ])
  const { proven, doubtful } = await provenEmulators(runningEmulators(stateDir), { signal, timeout: attemptTimeout })
  const [newest] = proven
  if (newest) return { base_url: newest.base_url, world: newest.world }
  const [silent] = doubtful
  throw new Error(silent ? `the one announced at ${silent.base_url} does not answer.` : 'none is running.')
}

/** Needs no proof of which emulator it is, because it gets no secret. */
async function emulatorAt(url: string, { signal, trace }: Context): Promise<Answering> {
  const baseUrl = checkedUrl(url, 'The base URL', undefined)
  const { createControlClient } = await import('../../client/control_client.ts')
  const control = createControlClient({ baseUrl, signal, retries: 0, timeout: attemptTimeout, ...(trace && { trace }) })
  try {
    const query = { challenge: randomBytes(24).toString('base64url') }
    const { world } = await control.call('control.identity', { query })
    if (typeof world !== 'string') throw new Error(`what answers at ${baseUrl} is not an emulator.`)
    return { base_url: baseUrl, world }
  } finally {
    await control.close()
  }
}
