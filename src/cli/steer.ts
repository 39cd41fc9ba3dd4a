import { InvalidArgumentError } from 'commander'
import type { ControlClient } from '../client/control_client.ts'
import { worldNamePattern, worldUrl } from '../contract/emulator_names.ts'
import { CliError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { type ApiError, isServiceAnswer } from '../errors/service_errors.ts'
import { foreign } from '../words/text.ts'
import type { CommandRecord, Context } from './command.ts'
import { clientOptions, requireNamedEmulator } from './connection.ts'
import { secretFromEnvironment } from './secret_input.ts'

/** Checks the name of a world or snapshot. The emulator also checks names, but this name becomes part of a URL. */
export function worldName(text: string): string {
  if (new RegExp(worldNamePattern).test(text)) return text
  throw new InvalidArgumentError('Give 1 to 63 lower case letters, digits, dots, dashes and underscores.')
}

/**
 * Time limit for an answer: a move of the clock waits for all webhook receivers, and each receiver may take minutes.
 */
const answerTimeoutMs = 30 * 60_000

/** Flags of every command that steers an emulator. Only the help of `payctl emulator` lists these flags. */
export const controlFlags = {
  '--control-token <token>': {
    about: 'if required; prefer PAYCTL_CONTROL_TOKEN',
    hidden: true,
  },
  '--world <world>': {
    about: 'world to use (default: the one in the base URL)',
    of: 'world',
    parse: worldName,
    hidden: true,
  },
} as const satisfies CommandRecord['flags']

/** Values of `controlFlags`. */
export interface Steering {
  readonly controlToken?: string | undefined
  readonly world?: string | undefined
  /** Base URL of the emulator; default: the base URL that the flags or the environment name. */
  readonly baseUrl?: string | undefined
}

/**
 * Calls `work` with a client of the emulator that the flags or PAYCTL_BASE_URL name; by default, of the running
 * emulator.
 */
export async function steer<T>(
  flags: Steering,
  context: Context,
  work: (control: ControlClient) => Promise<T>,
): Promise<T> {
  const { control, token } = await connect(flags, context)
  try {
    return await work(control)
  } catch (error) {
    if (isServiceAnswer(error, 401)) throw wrongToken(token)
    if (isServiceAnswer(error, 403)) throw beyondKey(error)
    if (isServiceAnswer(error, 500) && !error.doubtful) throw faultOf(error)
    throw error
  } finally {
    await control.close()
  }
}

async function connect(
  { controlToken, world, baseUrl: given }: Steering,
  context: Context,
): Promise<{ readonly control: ControlClient; readonly token: string | undefined }> {
  const { env, stateDir } = context
  const { profile, ...others } = context.globals
  const globals = given === undefined ? context.globals : { ...others, baseUrl: given, emulator: false }
  const [{ requireHome, resolveTarget }, { createControlClient }] = await Promise.all([
    import('../config/target.ts'),
    import('../client/control_client.ts'),
  ])
  const token = controlToken ?? (await secretFromEnvironment(env, 'PAYCTL_CONTROL_TOKEN'))
  const named = globals.baseUrl ?? (globals.profile === undefined ? env.PAYCTL_BASE_URL : undefined)
  const target = await resolveTarget({
    // `token` is the control token, the only token that is sent here: resolveTarget refuses to send it over plain http.
    globals: { ...globals, emulator: globals.emulator ?? named === undefined, ...(token !== undefined && { token }) },
    env: { ...env, PAYCTL_TOKEN: undefined },
    stateDir,
    signal: context.signal,
    config: () => context.config,
    note: (text) => context.output.note(text),
  })
  const { baseUrl } = target
  const { PAYCTL_BASE_URL: home } = env
  if (token !== undefined && controlToken === undefined && home !== undefined) {
    requireHome('PAYCTL_CONTROL_TOKEN', { home, source: 'PAYCTL_BASE_URL', baseUrl })
  }
  const control = createControlClient({
    baseUrl: world === undefined ? baseUrl : worldUrl(baseUrl, world),
    timeout: answerTimeoutMs,
    ...clientOptions(context),
    signal: context.signal,
    beforeChange: () => requireNamedEmulator(target),
    ...(token !== undefined && { token }),
  })
  return { control, token }
}

const wrongToken = (token: string | undefined) =>
  new CliError(
    'unauthenticated',
    token === undefined ? 'This emulator needs a control token.' : 'The control token is wrong.',
    'Set PAYCTL_CONTROL_TOKEN to the --control-token that the emulator was started with, or to a key of your team.',
  )

/**
 * Error for a request that a team's key does not allow. The emulator's message says what the key is not allowed to do.
 */
const beyondKey = (cause: ApiError) =>
  new CliError(
    'forbidden',
    foreign(cause.message),
    toRun(['emulator', 'worlds'], 'This key controls only the worlds of its team. List them'),
    { cause },
  )

/** Error for a fault inside the emulator. The emulator's message says what to do, if the emulator knows. */
const faultOf = (cause: ApiError) =>
  new CliError('unavailable', foreign(cause.message), 'The output or log of the emulator has the details.', { cause })
