import { constants } from 'node:os'
import type { Command } from 'commander'
import { emulatorProfile } from '../config/profile.ts'
import type { Ready } from '../config/running_emulators.ts'
import { UsageError } from '../errors/cli_error.ts'
import type { Io } from '../run/invocation.ts'
import { printable } from '../run/sanitise.ts'

interface ChildOptions {
  readonly ready: Ready
  readonly controlToken: string | null
  readonly fxProvider: string | undefined
  readonly signal: AbortSignal
  readonly io: Io
}

/** Refuses `emulate -- $COMMAND` with an unset variable, which would run until it is stopped. */
export function refuseEmpty(child: readonly string[], { parent }: Command): void {
  // commander removes a `--` that nothing follows; all words are in a property without a type.
  const { rawArgs } = parent as Command & { readonly rawArgs: readonly string[] }
  if (child[0] !== '' && (child.length > 0 || rawArgs.at(-1) !== '--')) return
  throw new UsageError('The command after -- is empty.', 'Name one, or leave -- out: payctl emulate')
}

/** Runs a command with the emulator in its environment. Returns its exit code, as a shell does. */
export async function runChild([file = '', ...args]: readonly string[], options: ChildOptions): Promise<number> {
  const { execa } = await import('execa')
  const { signal, io } = options
  const child = execa(file, args, { stdio: 'inherit', reject: false, env: environment(options) })
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

/**
 * The profile `emulator` keeps the child from the user's profiles and from other machines. Undefined variables are removed,
 * because they belong to another emulator.
 */
const environment = ({ ready, controlToken, fxProvider }: ChildOptions): Record<string, string | undefined> => ({
  PAYCTL_BASE_URL: ready.base_url,
  PAYCTL_AUTH_URL: ready.auth_url,
  PAYCTL_TOKEN: ready.token,
  PAYCTL_CONTROL_URL: ready.control_url,
  PAYCTL_CONTROL_TOKEN: controlToken ?? undefined,
  PAYCTL_CLIENT_ID: ready.client_id,
  PAYCTL_CLIENT_SECRET: ready.client_secret,
  PAYCTL_FX_PROVIDER: fxProvider,
  PAYCTL_PROFILE: emulatorProfile,
})
