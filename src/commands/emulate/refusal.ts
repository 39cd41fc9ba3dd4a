import type { EmulatorOptions } from '../../../emulator/index.ts'
import { UsageError } from '../../errors/cli_error.ts'

/** A refusal by the emulator's own code as an error of the command line, with every fault of a file by line and column. */
export async function refusalAsUsageError(error: unknown): Promise<unknown> {
  const { ContentRefusal, EmulatorRefusal } = await import('../../../emulator/index.ts')
  if (error instanceof ContentRefusal) {
    return Object.assign(new UsageError(error.summary, error.hint), { errors: error.errors })
  }
  if (!(error instanceof EmulatorRefusal)) return error
  const { message, hint } = error.naming(flagOf)
  return new UsageError(message, hint)
}

/** Flags that are not named like their options. A secret in a file is not in the list of processes. */
const otherFlags: { readonly [Option in keyof EmulatorOptions]: string } = {
  token: '--token-file',
  controlToken: '--control-token-file',
  clientSecret: '--client-secret-file',
  oauthClients: '--oauth-client',
}

/** `--rng-seed` of `rngSeed`. */
const flagOf = (option: keyof EmulatorOptions): string =>
  otherFlags[option] ?? `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
