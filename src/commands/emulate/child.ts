import { constants } from 'node:os'
import { platform } from 'node:process'
import { emulatorProfile } from '../../config/profile.ts'
import type { Ready } from '../../config/running_emulators.ts'
import { clearTimeout, monotonicClock, pause, setTimeout } from '../../real_time.ts'
import type { Io } from '../../run/invocation.ts'
import { isGroupRunning, signalGroup } from '../../run/processes.ts'
import { printable } from '../../run/sanitise.ts'
import { seedRunVariable } from './seeds/part.ts'

export interface ChildOptions {
  readonly ready: Ready
  readonly controlToken: string | null
  readonly fxProvider: string | undefined
  /** Seed of the chaos, so that a command can name its files by seed. */
  readonly chaos: number | undefined
  /** Called with a function that kills the command with all its processes. Set only if chaos can kill the command. */
  readonly onStart?: (kill: () => void) => void
  readonly signal: AbortSignal
  readonly io: Io
}

/** Time limit for a command to end after SIGTERM, SIGHUP or SIGQUIT, in milliseconds: the default of `docker stop`. */
const commandGrace = 10_000

/** Time limit, in milliseconds, within which a process that outlives its command must end after a signal. */
const remainsGrace = 2000

export interface ChildEnd {
  /** Exit code as a shell reports it. */
  readonly code: number
  /** False if the command could not be started. */
  readonly ran: boolean
}

/** Runs a command with the emulator in its environment, and ends its remaining processes. */
export async function runChild([file = '', ...args]: readonly string[], options: ChildOptions): Promise<ChildEnd> {
  const { execa } = await import('execa')
  const { signal, io, onStart } = options
  // Node gives a detached process no terminal, so a command to which the user can type is not detached. A command that
  // chaos can kill needs a separate process group.
  const detached = (onStart !== undefined || !io.stdin.isTTY) && platform !== 'win32'
  const child = execa(file, args, { stdio: 'inherit', reject: false, env: environment(options), detached })
  const { pid: group } = child
  const send = (name: NodeJS.Signals) => void (detached && group ? signalGroup(group, name) : child.kill(name))
  onStart?.(() => send('SIGKILL'))
  let timer: NodeJS.Timeout | undefined
  const passOn = (name: NodeJS.Signals) => {
    // At a terminal, Ctrl-C reaches every process of payctl's group, and therefore also the command.
    if (name === 'SIGINT' && io.stdin.isTTY && !detached) return
    send(name)
    if (name !== 'SIGINT') timer ??= setTimeout(send, commandGrace, 'SIGKILL')
  }
  const onSignal = (event: Event) => {
    const name = event instanceof CustomEvent ? event.detail : undefined
    // CI services send SIGINT and then SIGTERM when they stop a job. A second signal of the same kind comes from a
    // parent process, which repeats it.
    if (name !== signal.reason) passOn(name ?? signal.reason)
  }
  const events: EventTarget = signal
  for (const type of ['abort', 'further']) events.addEventListener(type, onSignal)
  if (signal.aborted) passOn(signal.reason)
  const { exitCode, signal: killedBy, code } = await child
  clearTimeout(timer)
  if (detached && group) await endGroup(group)
  for (const type of ['abort', 'further']) events.removeEventListener(type, onSignal)
  if (killedBy) return { code: 128 + constants.signals[killedBy as NodeJS.Signals], ran: true }
  if (exitCode !== undefined) return { code: exitCode, ran: true }
  const missing = code === 'ENOENT'
  io.stderr.write(`error: ${printable(file)}: ${missing ? 'command not found' : `could not be run (${code})`}.\n`)
  return { code: missing ? 127 : 126, ran: false }
}

/** Ends the remaining processes in the group of an ended command, such as servers that a test started. */
async function endGroup(group: number): Promise<void> {
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    if (!isGroupRunning(group)) return
    signalGroup(group, name)
    const end = monotonicClock() + remainsGrace
    while (monotonicClock() < end && isGroupRunning(group)) await pause(interval)
  }
}

/** Milliseconds between two checks for remaining processes. */
const interval = 50

/**
 * With the profile `emulator`, the child uses neither the user's profiles nor other machines. Undefined variables are
 * removed from the environment, because their values there belong to another emulator.
 */
const environment = ({ ready, controlToken, fxProvider, chaos }: ChildOptions): Record<string, string | undefined> => ({
  PAYCTL_BASE_URL: ready.local_url,
  PAYCTL_AUTH_URL: ready.local_url,
  PAYCTL_TOKEN: ready.token,
  PAYCTL_CONTROL_URL: ready.local_url,
  PAYCTL_CONTROL_TOKEN: controlToken ?? undefined,
  PAYCTL_CONTROL_TOKEN_FILE: undefined,
  PAYCTL_CLIENT_ID: ready.client_id,
  PAYCTL_CLIENT_SECRET: ready.client_secret,
  PAYCTL_USER_ID: ready.user_id,
  PAYCTL_ACCOUNT_CRC: firstAccount(ready, 'CRC'),
  PAYCTL_ACCOUNT_USD: firstAccount(ready, 'USD'),
  PAYCTL_READY: JSON.stringify(ready),
  PAYCTL_FX_PROVIDER: fxProvider,
  PAYCTL_CHAOS_SEED: chaos === undefined ? undefined : `${chaos}`,
  PAYCTL_PROFILE: emulatorProfile,
  [seedRunVariable]: undefined,
})

const firstAccount = ({ accounts }: Ready, wanted: string): string | undefined =>
  accounts.find(({ currency }) => currency === wanted)?.id
