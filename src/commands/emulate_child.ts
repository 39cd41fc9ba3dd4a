import { constants } from 'node:os'
import { emulatorProfile } from '../config/profile.ts'
import type { Ready } from '../config/running_emulators.ts'
import { printable } from '../output/sanitise.ts'
import type { Io } from './context.ts'

interface Surroundings {
  readonly ready: Ready
  readonly fxProvider: string | undefined
  readonly signal: AbortSignal
  readonly io: Io
}

/** Runs a command that finds the emulator in its environment. Returns its exit code, as a shell would. */
export async function runChild([file = '', ...args]: readonly string[], around: Surroundings): Promise<number> {
  const { execa } = await import('execa')
  const { signal, io } = around
  const child = execa(file, args, { stdio: 'inherit', reject: false, env: environment(around) })
  const passOn = () => {
    const name = signal.reason as NodeJS.Signals
    const alreadySent = name === 'SIGINT' && io.stdin.isTTY // Ctrl-C goes to all processes of a terminal
    if (!alreadySent) child.kill(name)
  }
  signal.addEventListener('abort', passOn)
  if (signal.aborted) passOn()
  const { exitCode, signal: killedBy, code } = await child
  signal.removeEventListener('abort', passOn)
  if (killedBy) return 128 + constants.signals[killedBy as NodeJS.Signals]
  if (exitCode !== undefined) return exitCode
  const missing = code === 'ENOENT'
  io.stderr.write(`error: ${printable(file)}: ${missing ? 'command not found' : `could not be run (${code})`}.\n`)
  return missing ? 127 : 126
}

/** The profile keeps the child from those of the user, and from any service but one on this machine. */
const environment = ({ ready, fxProvider }: Surroundings): Record<string, string | undefined> => ({
  PAYCTL_BASE_URL: ready.base_url,
  PAYCTL_AUTH_URL: ready.auth_url,
  PAYCTL_TOKEN: ready.token,
  PAYCTL_CLIENT_ID: ready.client_id,
  PAYCTL_CLIENT_SECRET: ready.client_secret,
  PAYCTL_FX_PROVIDER: fxProvider,
  PAYCTL_PROFILE: emulatorProfile,
})
