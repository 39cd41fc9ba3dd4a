import { kill } from 'node:process'
import { type Context, command } from '../../cli/command.ts'
import { array } from '../../cli/prints.ts'
import { checkedUrl } from '../../config/base_url.ts'
import { labelOf, portOf } from '../../config/emulator_label.ts'
import { type ProvenEmulators, provenEmulators } from '../../config/proven_emulators.ts'
import { type Announcement, runningEmulators } from '../../config/running_emulators.ts'
import { CliError, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { columnsOf, status, time } from '../../output/columns.ts'
import { monotonicClock, pause } from '../../real_time.ts'
import { isRunning } from '../../run/processes.ts'

/** Facts of an emulator, without secrets. */
export interface Entry {
  /** Value of `emulate --name`. */
  readonly name: string | null
  readonly base_url: string
  readonly pid: number
  /** `silent`: the emulator does not answer, or another program uses its port. */
  readonly status: 'ready' | 'silent' | 'stopped'
  /** Null if the payctl that announced the emulator did not record the time. */
  readonly since: string | null
  readonly version: string
  /** Number of worlds; null if the emulator does not answer, or requires a control token. */
  readonly worlds: number | null
  readonly world_names: readonly string[] | null
}

const columns = columnsOf<Entry>(
  'name',
  'base_url',
  'pid',
  { ...status('status'), tone: (one: Entry) => (one.status === 'ready' ? 'good' : 'dim') },
  time('since'),
  'version',
  'worlds',
)

const prints = array(async () => (await import('../schema/machine_shapes.ts')).emulator)

export const list = command({
  summary: 'List the running emulators',
  about: 'List the emulators that you have started on this machine, newest first, with their state.',
  prints,
  columns,
  examples: ['payctl emulator list', 'payctl emulator list --json'],
  async run(_, context) {
    const { proven, doubtful } = await announced(context)
    const { signal, globals } = context
    const limits = { signal, timeout: globals.timeout ?? answerTimeout }
    const { worldsOf } = await import('../../config/named_emulator.ts')
    const worlds = await Promise.all(proven.map((one) => worldsOf(one, limits)))
    const entries = [
      ...proven.map((one, at) => entry(one, 'ready', worlds[at])),
      ...doubtful.map((one) => entry(one, 'silent')),
    ]
    await context.output.list(entries, columns, { none: 'No emulator is running.' })
  },
})

const entry = (one: Announcement, status: Entry['status'], worlds: readonly string[] | null = null): Entry => ({
  name: one.name ?? null,
  base_url: one.base_url,
  pid: one.pid,
  status,
  since: one.since ?? null,
  version: one.version,
  worlds: worlds?.length ?? null,
  world_names: worlds,
})

/** Time limit for an answer from a program on this machine, in milliseconds. */
const answerTimeout = 5000

async function announced({ stateDir, signal, globals }: Context, at?: string): Promise<ProvenEmulators> {
  return await provenEmulators(runningEmulators(stateDir), { signal, timeout: globals.timeout ?? answerTimeout }, at)
}

/** Time limit for an emulator and its command to end, in milliseconds. */
const endTimeout = 15_000

export const stop = command({
  summary: 'Stop an emulator',
  about:
    'Stop an emulator that you have started on this machine, and the command that it runs, if any. Returns when the emulator has ended. Only an emulator that has proven its identity is stopped.',
  args: {
    '[emulator]': {
      about: 'name, port, URL or process id of the emulator; optional if only one runs',
      of: 'emulator',
      as: 'named',
    },
  },
  flags: { '--all': { about: 'stop all emulators that you have started' } },
  prints,
  examples: ['payctl emulator stop', 'payctl emulator stop http://127.0.0.1:4011', 'payctl emulator stop --all'],
  async run({ named, all = false }, context) {
    const name = nameOf(named, all, context)
    const at = name?.includes('/') ? checkedUrl(name, 'The URL', undefined) : undefined
    const found = await announced(context, at)
    const isMeant = (one: Announcement) =>
      name === undefined || at !== undefined || [one.name, portOf(one.base_url), String(one.pid)].includes(name)
    const [chosen, silent] = [found.proven.filter(isMeant), found.doubtful.filter(isMeant)]
    if (!all) requireOne(chosen, silent, name)
    const entries = await Promise.all(chosen.map((one) => end(one, context.signal)))
    const stopColumns = columnsOf<Entry>('name', 'base_url', 'pid', 'status')
    await context.output.list(entries, stopColumns, { none: 'No emulator is running.' })
    if (silent[0] !== undefined) throw noProof(silent[0])
  },
})

function nameOf(argument: string | undefined, all: boolean, { globals, env }: Context): string | undefined {
  const flag = typeof globals.emulator === 'string' ? globals.emulator : undefined
  const given = [argument, flag, globals.baseUrl, ...(all ? ['--all'] : [])].filter((each) => each !== undefined)
  if (given.length > 1) {
    throw new UsageError(`Give one emulator to stop, not ${given.length}: ${given.join(', ')}.`, 'Give one of them')
  }
  return all ? undefined : (given[0] ?? (globals.emulator ? undefined : env.PAYCTL_BASE_URL))
}

/** Throws unless exactly one emulator is chosen. */
function requireOne(chosen: readonly Announcement[], silent: readonly Announcement[], name: string | undefined): void {
  if (chosen.length > 1) {
    const running = chosen.map((one) => `${labelOf(one)} (${one.base_url})`).join(', ')
    const next = toRun(['emulator', 'stop', '<name>'], `Name one, or give --all. Running: ${running}`)
    throw new UsageError(`${chosen.length} emulators are running.`, next)
  }
  if (chosen.length === 1) return
  if (silent[0] !== undefined) throw noProof(silent[0])
  const where =
    name === undefined ? '' : name.includes('/') ? ` at ${name}` : ` under the name, port or process id ${name}`
  throw new CliError(
    'unavailable',
    `None of the emulators that you started is running${where}.`,
    toRun(['emulator', 'list']),
  )
}

const noProof = ({ base_url, pid }: Announcement): CliError =>
  new CliError(
    'unavailable',
    `The emulator announced at ${base_url} has not proven its identity, so process ${pid} got no signal.`,
    `If that process is the emulator and hangs: kill -9 ${pid}`,
  )

/** Milliseconds between two checks of a process. */
const interval = 20

/** Sends SIGTERM, and resolves when the process has ended. */
async function end(one: Announcement, signal: AbortSignal): Promise<Entry> {
  const { pid, process_start = null, base_url } = one
  if (isRunning(pid, process_start)) kill(pid, 'SIGTERM')
  const latest = monotonicClock() + endTimeout
  while (isRunning(pid, process_start)) {
    if (monotonicClock() > latest) {
      const message = `The emulator at ${base_url} is still running ${endTimeout / 1000} s after the signal to stop.`
      throw new CliError('conflict', message, `Stop it at once: kill -9 ${pid}`)
    }
    await pause(interval, signal)
  }
  return entry(one, 'stopped')
}
