import { pid } from 'node:process'
import type { Emulator, EmulatorOptions } from '../../../emulator/index.ts'
import type { Context } from '../../cli/command.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Environment } from '../../run/invocation.ts'
import type { Launched } from './launched.ts'
import { type EmulatorLog, emulatorLog } from './log.ts'
import { emulatorOptions, type Options } from './options.ts'
import { exposedSecrets, type Secrets, withSecrets } from './secrets.ts'

/** Options that hold secrets. A detached emulator does not receive these options as arguments. */
export type SecretOptions = Secrets & Pick<Options, 'oauthClient'>

export interface Run {
  readonly options: Options
  /** The command to run with the emulator; empty if there is none. */
  readonly child: readonly string[]
  readonly launch: Launched<SecretOptions> | undefined
  /** Secrets from the payctl that started this process. */
  readonly secrets?: SecretOptions
  /** Kills the command; set only with --chaos-kill. */
  readonly killProgram?: EmulatorOptions['killProgram']
}

export async function start(
  context: Context,
  { options, child, launch, secrets: handedOver, killProgram }: Run,
): Promise<{ readonly emulator: Emulator; readonly log: EmulatorLog }> {
  const { startEmulator } = await import('../../../emulator/index.ts')
  const known = launch?.options ?? handedOver
  const { token, controlToken, clientSecret, ...given } = known
    ? { ...options, ...known }
    : await withSecrets(context, options)
  const secrets = { token, controlToken, clientSecret }
  await warnIfExposed(context, options)
  const bounded = launch?.bounded ?? ((write) => write)
  const all = [...Object.values(secrets), ...(given.oauthClient ?? []).map(({ secret }) => secret)]
  const log = await emulatorLog(context, {
    format: options.log,
    secrets: all.filter((secret) => secret !== undefined),
    bounded,
  })
  const settings = {
    ...emulatorOptions({ ...given, ...secrets }),
    ...log.callbacks,
    ...(killProgram && { killProgram }),
  }
  const { port } = given
  const socket = child.length === 0 ? supervisorSocket(context.env) : undefined
  try {
    const emulator =
      socket === undefined
        ? await startOnPort(portsToTry(port, child.length > 0), (each) => startEmulator({ ...settings, port: each }))
        : await startEmulator({ ...settings, socket, ...(port !== undefined && { port }) })
    return { emulator, log }
  } catch (error) {
    const { refusalAsUsageError } = await import('./refusal.ts')
    throw await refusalAsUsageError(error)
  }
}

export async function warnIfExposed(context: Context, { host, publicUrl, ...flags }: Options): Promise<void> {
  if (host === undefined && publicUrl === undefined) return
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) return // the emulator will refuse the URL
  const { exposure } = await import('../../../emulator/secret_strength.ts')
  const exposed = exposure({ host, publicUrl }) === null ? null : exposedSecrets(context, flags)
  if (exposed !== null) context.output.note(exposed)
}

/** Number of the first file descriptor that systemd passes on: sd_listen_fds(3). */
const firstSocket = 3

/** File descriptor of the socket that systemd, or another supervisor, opened for this process; undefined: none. */
function supervisorSocket({ LISTEN_PID, LISTEN_FDS }: Environment): number | undefined {
  if (LISTEN_PID !== String(pid) || LISTEN_FDS === undefined) return undefined
  if (LISTEN_FDS === '1') return firstSocket
  throw new UsageError(`The supervisor passed ${LISTEN_FDS} sockets, but the emulator takes one.`, 'Pass one socket.')
}

const usualPort = 4010

/** Number of ports to try, beginning with the usual port. */
const portsTried = 51

/**
 * Ports to try in order. A requested port is the only port to try. A command receives the URL, so any free port (0)
 * will do; without a command, the list is the usual port and the ports after it.
 */
export function portsToTry(asked: number | undefined, executing: boolean): readonly number[] {
  if (asked !== undefined) return [asked]
  return executing ? [0] : Array.from({ length: portsTried }, (_, step) => usualPort + step)
}

/** Starts on the first free port. */
export async function startOnPort<Started>(
  ports: readonly number[],
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  for (const port of ports) {
    try {
      return await start(port)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EADDRINUSE') continue
      if (code === 'EACCES')
        throw new UsageError(`Port ${port} needs more rights than you have.`, 'Ask for a port above 1023.')
      if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        throw new UsageError('The address in --host is not an address of this machine.', 'Leave --host out')
      }
      throw error
    }
  }
  const [first, last] = [ports.at(0), ports.at(-1)]
  const what = first === last ? `Port ${first} is taken.` : `All ports from ${first} to ${last} are taken.`
  throw new UsageError(what, 'Take any free port with --port 0')
}
