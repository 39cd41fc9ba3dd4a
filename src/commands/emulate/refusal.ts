import type { EmulatorOptions } from '../../../emulator/index.ts'
import { UsageError } from '../../errors/cli_error.ts'

/**
 * Converts a refusal by the emulator to a usage error; for a file, the error names every fault by line and column.
 */
export async function refusalAsUsageError(error: unknown): Promise<unknown> {
  const { ContentRefusal, EmulatorRefusal } = await import('../../../emulator/index.ts')
  if (error instanceof ContentRefusal) {
    return Object.assign(new UsageError(error.summary, error.hint), { saidErrors: error.errors })
  }
  if (!(error instanceof EmulatorRefusal)) return error
  const { message, hint } = error.naming(flagOf)
  return new UsageError(message, hint)
}

/**
 * Flags whose names differ from the names of their options. For a secret, the flag that takes a file: the file's
 * content is not in the list of processes.
 */
const otherFlags: { readonly [Option in keyof EmulatorOptions]: string } = {
  token: '--token-file',
  controlToken: '--control-token-file',
  clientSecret: '--client-secret-file',
  oauthClients: '--oauth-client',
  socket: 'LISTEN_FDS',
}

/** The flag of an option: `--rng-seed` for `rngSeed`. */
const flagOf = (option: keyof EmulatorOptions): string =>
  otherFlags[option] ?? `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
