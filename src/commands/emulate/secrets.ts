import type { Context } from '../../cli/command.ts'
import { checkedSecret, fileVariable, secretFromEnvironment, secretFromFile } from '../../cli/secret_input.ts'
import { UsageError } from '../../errors/cli_error.ts'
import type { Environment } from '../../run/invocation.ts'

/**
 * Sources of one secret of the emulator. The flag and the file exclude each other, and both take precedence over the
 * variable. The variable with `_FILE` added to its name contains the path of a file.
 */
interface Source {
  readonly flag?: string
  readonly file: string
  readonly variable: string
}

export const sources = {
  token: { flag: '--token', file: '--token-file', variable: 'PAYCTL_EMULATOR_TOKEN' },
  controlToken: { flag: '--control-token', file: '--control-token-file', variable: 'PAYCTL_EMULATOR_CONTROL_TOKEN' },
  clientSecret: { file: '--client-secret-file', variable: 'PAYCTL_EMULATOR_CLIENT_SECRET' },
} as const satisfies Record<string, Source>

/** Flags whose values are secrets themselves. */
export const bareSecretFlags: readonly string[] = ['--token', '--control-token', '--oauth-client']

/** The flags of `sources`: each flag contains a secret or names the file of a secret. */
export const secretFlags: readonly string[] = Object.values<Source>(sources).flatMap(({ flag, file }) =>
  flag === undefined ? [file] : [flag, file],
)

export interface SecretFlags {
  readonly tokenFile?: string | undefined
  readonly controlToken?: string | undefined
  readonly controlTokenFile?: string | undefined
  readonly clientSecretFile?: string | undefined
}

export interface Secrets {
  readonly token?: string | undefined
  readonly controlToken?: string | undefined
  readonly clientSecret?: string | undefined
}

/** Replaces the sources of secrets in the options with the secrets. */
export async function withSecrets<Options extends SecretFlags>(
  context: Context,
  options: Options,
): Promise<Omit<Options, keyof SecretFlags> & Secrets> {
  const { tokenFile, controlToken, controlTokenFile, clientSecretFile, ...rest } = options
  const { env, globals } = context
  return {
    ...rest,
    ...(await given('token', { argument: globals.token, file: tokenFile, env })),
    ...(await given('controlToken', { argument: controlToken, file: controlTokenFile, env })),
    ...(await given('clientSecret', { file: clientSecretFile, env })),
  }
}

interface Values {
  readonly argument?: string | undefined
  readonly file?: string | undefined
  readonly env: Environment
}

async function given(name: keyof Secrets, { argument, file, env }: Values): Promise<Secrets> {
  const source: Source = sources[name]
  if (argument !== undefined && file !== undefined) {
    throw new UsageError(`${source.flag} and ${source.file} are both given.`, `Leave ${source.flag} out.`)
  }
  if (argument !== undefined) return { [name]: checkedSecret(argument, source.flag ?? name) }
  if (file !== undefined) return { [name]: await secretFromFile(file, source.file) }
  const inEnvironment = await secretFromEnvironment(env, source.variable)
  return inEnvironment === undefined ? {} : { [name]: inEnvironment }
}

/**
 * Source of each secret that is not an argument: the flag or variable that names its file, or the variable that
 * contains it. The `ready` output prints the source in place of the secret.
 */
export function keptSecrets({ env, globals }: Context, flags: SecretFlags): { token?: string; client_secret?: string } {
  const { tokenFile, clientSecretFile } = flags
  const place = ({ file, variable }: Source, given: string | undefined): string | undefined =>
    given !== undefined ? file : [variable, fileVariable(variable)].find((each) => env[each] !== undefined)
  const token = globals.token === undefined ? place(sources.token, tokenFile) : undefined
  const clientSecret = place(sources.clientSecret, clientSecretFile)
  return {
    ...(token && { token: `(that of ${token})` }),
    ...(clientSecret && { client_secret: `(that of ${clientSecret})` }),
  }
}

/**
 * A warning if secrets of the emulator are in the list of processes; otherwise null. The caller has checked that
 * strangers can reach the emulator.
 */
export function exposedSecrets({ globals }: Context, { controlToken }: SecretFlags): string | null {
  const exposed = [
    ...(globals.token === undefined ? [] : [sources.token]),
    ...(controlToken === undefined ? [] : [sources.controlToken]),
  ]
  if (exposed.length === 0) return null
  const all = (what: 'flag' | 'file' | 'variable') => exposed.map((source) => source[what]).join(' and ')
  return `Other users of this machine can read ${all('flag')}: use ${all('file')}, or ${all('variable')}, instead.`
}
