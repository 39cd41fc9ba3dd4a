import { readConfig } from '../config/config_file.ts'
import { loginCommand } from '../config/login_command.ts'
import { type Config, defaultProfile, profileInUse, savedFormat } from '../config/profile.ts'
import { IntentError } from '../errors/cli_error.ts'
import { exits } from '../errors/exit_codes.ts'
import { type Failure, failureOf } from '../errors/failure.ts'
import { configDirectory } from '../files/directories.ts'
import { loadPaint, wantsColour } from './colour.ts'
import type { Environment } from './environment.ts'
import { withoutEmpty } from './environment.ts'
import type { Globals } from './globals.ts'
import type { Io } from './io.ts'
import { escapeHidden, printable } from './sanitise.ts'
import { isBrokenPipe } from './sink.ts'

interface Run {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly io: Io
  readonly signal: AbortSignal
}

/** Tells what went wrong on stderr and returns the exit code. A reader that had enough is no failure. */
export async function report(error: unknown, { argv, env, io, signal }: Run): Promise<number> {
  const cause = error instanceof IntentError ? error.cause : error
  if (isBrokenPipe(cause)) return exits.done.code
  const failure = failureOf(error, signal.aborted, () => loginCommand(profileOf(argv, env), globalsIn(flagsOf(argv))))
  const { code } = exits[failure.exit]
  if (wantsJson(argv, env)) {
    io.stderr.write(`${escapeHidden(JSON.stringify(asJson(failure)))}\n`)
    return code
  }
  const paint = await loadPaint(wantsColour({ color: !argv.includes('--no-color') }, env, io.stderr.isTTY === true))
  const lines = [`${paint.error('error:')} ${printable(failure.message)}`, ...details(failure)]
  if (failure.hint) lines.push(`hint: ${printable(failure.hint)}`)
  if (env.PAYCTL_DEBUG && cause instanceof Error && cause.stack) lines.push(...cause.stack.split('\n').map(printable))
  io.stderr.write(`${lines.join('\n')}\n`)
  return code
}

const asJson = ({ code, message, status, errors, hint, requestId, retryable, intentId }: Failure) => ({
  error: {
    code,
    message,
    status: status ?? null,
    errors: errors ?? null,
    hint: hint ?? null,
    request_id: requestId ?? null,
    retryable: retryable ?? false,
    intent_id: intentId ?? null,
  },
})

/** The service's details, a line for each message, where they say more than the message. */
function details({ message, errors }: Failure): string[] {
  if (typeof errors === 'string') return errors === message ? [] : [`  ${printable(errors)}`]
  return Object.entries(errors ?? {}).flatMap(([field, messages]) =>
    [messages]
      .flat()
      .map((text) => `  ${printable(field)}: ${printable(typeof text === 'string' ? text : JSON.stringify(text))}`),
  )
}

/** Read off the arguments: the failure may be that they can't be parsed. */
function wantsJson(argv: readonly string[], { PAYCTL_OUTPUT, ...env }: Environment): boolean {
  const flags = flagsOf(argv)
  if (flags.some((flag) => flag === '--json' || /^--jq(=|$)/.test(flag))) return true
  const asked = lastValue(flags, 'output') ?? (PAYCTL_OUTPUT || profileFormat(flags, env))
  return asked === 'json' || asked === 'ndjson'
}

const profileFormat = (flags: readonly string[], env: Environment): string | undefined =>
  fromConfig((set, config) => savedFormat(globalsIn(flags), set, config), env)

const profileOf = (argv: readonly string[], env: Environment): string =>
  fromConfig((set, config) => profileInUse(globalsIn(flagsOf(argv)), set, config), env) ?? defaultProfile

/** Undefined for a configuration that can't be read: that is told of elsewhere. */
function fromConfig<T>(read: (env: Environment, config: () => Config) => T, env: Environment): T | undefined {
  const set = withoutEmpty(env)
  try {
    return read(set, () => readConfig(configDirectory(set)))
  } catch {
    return undefined
  }
}

const flagsOf = (argv: readonly string[]): readonly string[] =>
  argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv

function globalsIn(flags: readonly string[]): Globals {
  const [profile, baseUrl, authUrl] = ['profile', 'base-url', 'auth-url'].map((name) => lastValue(flags, name))
  return {
    emulator: flags.includes('--emulator'),
    ...(profile !== undefined && { profile }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(authUrl !== undefined && { authUrl }),
  }
}

function lastValue(flags: readonly string[], name: string): string | undefined {
  const short = `-${name[0]}`
  const attached = new RegExp(`^(?:--${name}=|${short})(.+)$`)
  const values = flags.flatMap((flag, at) =>
    flag === short || flag === `--${name}` ? [flags[at + 1]] : (attached.exec(flag)?.slice(1) ?? []),
  )
  return values.at(-1)
}
