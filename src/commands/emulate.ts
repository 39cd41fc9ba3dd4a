import { once } from 'node:events'
import { pid } from 'node:process'
import { type Command, Option } from 'commander'
import type { AnsweredRequest, EmulatorOptions } from '../../emulator/index.ts'
import { redactText } from '../client/redaction.ts'
import { announce, type Ready, writeReady } from '../config/running_emulators.ts'
import { reasonOf, UsageError } from '../errors/cli_error.ts'
import { printable } from '../run/sanitise.ts'
import { clockTime } from '../run/time.ts'
import { version } from '../version.ts'
import { instant, integer } from './arguments.ts'
import type { CommandModule, Context } from './context.ts'
import { refuseEmpty, runChild } from './emulate_child.ts'
import { type Launched, launched } from './emulate_launched.ts'
import { portsToTry, startOnPort } from './emulate_port.ts'
import { readyBlock, type Shown } from './emulate_ready.ts'
import {
  addSecretOptions,
  exposedSecrets,
  keptSecrets,
  type SecretFlags,
  type Secrets,
  secretFlags,
  withSecrets,
} from './emulate_secrets.ts'
import { dataFile, fraction, oauthClient, providerName, rateLimit, rngSeed, settle } from './emulate_values.ts'
import { examples } from './examples.ts'
import { ownGlobal } from './global_options.ts'

interface Options extends SecretFlags {
  readonly port?: number
  readonly host?: string
  readonly data?: string
  readonly seed?: 'demo' | 'empty'
  readonly seedFile?: string
  readonly clock?: string
  readonly rngSeed?: string
  readonly readyFile?: string
  readonly settle?: number | 'manual'
  readonly rateLimit?: number | 'off'
  readonly tokenTtl?: number
  readonly fxSpread?: number
  readonly fxProvider?: string
  readonly locale?: 'es' | 'en'
  readonly oauthClient?: EmulatorOptions['oauthClients']
  readonly detach?: true
}

/** Options that hold secrets, which a detached emulator gets otherwise than as arguments. */
type SecretOptions = Secrets & Pick<Options, 'oauthClient'>

/** Milliseconds after the start at which the rest is loaded. */
const quiet = 1000

export const emulate: CommandModule = (command, context) => {
  command
    .description(
      'Run the whole service on this machine: accounts, payments and lookups over made-up money. ' +
        'With a command, run that against it and stop when it ends.',
    )
    .usage('[options] [-- command...]')
    .argument('[command...]', 'run this with PAYCTL_BASE_URL, PAYCTL_TOKEN and so on set; its exit code is returned')
    .passThroughOptions()
  addOptions(addSecretOptions(command))
  ownGlobal(command, '--token', 'access token it accepts (default: payctl-demo-token)')
  ownGlobal(command, '--json', 'one JSON line on stdout when it is ready')
  command.action((child: readonly string[], options: Options) => {
    refuseEmpty(child, command)
    const launch = launched<SecretOptions>(context)
    if (options.detach && !launch) return detach(context, { command, options, child })
    return run(context, { options, child, launch })
  })
  examples(command, [
    'payctl emulate',
    'payctl emulate --data world.db --settle instant',
    'payctl emulate -- npm test',
    'payctl emulate --detach              # payctl emulator stop ends it',
    'payctl --emulator accounts list      # in another terminal',
  ])
}

const addOptions = (command: Command): Command =>
  command
    .option('--port <n>', 'port, 0 for any (default: 4010 or the next free one)', integer({ min: 0, max: 65_535 }))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--data <file>', 'keep everything in this file (default: in memory)', dataFile)
    .addOption(new Option('--seed <name>', 'what a new world holds (default: demo)').choices(['demo', 'empty']))
    .option('--seed-file <file>', 'or what this YAML or JSON file says')
    .option('--clock <time>', 'freeze the clock of a new world at this time', instant)
    .option('--rng-seed <n|text>', 'same ids, secrets, faults each run; on loopback only, they can be guessed', rngSeed)
    .option('--ready-file <file>', 'write what --json prints to this file')
    .option('--detach', 'return when it is ready; it runs on until payctl emulator stop')
    .option('--settle <duration>', 'how long payments take: 1s, instant, manual (default: 1s)', settle)
    .option('--rate-limit <n/min|off>', 'requests a minute (default: 6000/min)', rateLimit)
    .option('--token-ttl <seconds>', 'life of an OAuth token (default: 3600)', integer({ min: 1 }))
    .option('--oauth-client <client>', 'add an OAuth client, id:secret@redirect-uri; may be repeated', oauthClient)
    .option('--fx-spread <fraction>', 'the service’s share on each side of the rate (default: 0.004)', fraction)
    .option('--fx-provider <name>', 'the upstream rate provider in its path (default: upstream)', providerName)
    .addOption(new Option('--locale <code>', 'language of page labels (default: es)').choices(['es', 'en']))

interface Run {
  readonly options: Options
  readonly child: readonly string[]
  readonly launch: Launched<SecretOptions> | undefined
}

async function run(context: Context, { options, child, launch }: Run): Promise<void> {
  const { signal, globals, io } = context
  const executing = child.length > 0
  const emulator = await start(context, { options, child, launch })
  const forget: (() => void)[] = []
  try {
    const ready: Ready = {
      event: 'ready',
      base_url: emulator.baseUrl,
      auth_url: emulator.authUrl,
      token: emulator.token,
      client_id: emulator.clientId,
      client_secret: emulator.clientSecret,
      control_url: emulator.controlUrl,
      host: emulator.host,
      pid,
      version,
      world: emulator.worldId,
      user_id: emulator.user.id,
      accounts: emulator.accounts().map(({ id, iban, currency }) => ({ id, iban, currency })),
    }
    forget.push(makeKnown(context, { ...ready, identity_secret: emulator.identitySecret }))
    if (options.readyFile !== undefined) forget.push(writeTo(options.readyFile, ready))
    const shown = { ready, accounts: emulator.accounts() }
    if (launch) forget.push(await launch.tell(shown))
    else if (!executing || globals.verbose) await show(context, shown, { options, executing })
    const { controlToken } = emulator
    const { fxProvider } = options
    if (executing) context.exitWith(await runChild(child, { ready, controlToken, fxProvider, signal, io }))
    else if (!signal.aborted) await idle(signal)
  } finally {
    for (const file of forget) file()
    await emulator.close()
  }
}

async function show(
  context: Context,
  { ready, ...rest }: Shown,
  { options, executing = false }: { options: Options; executing?: boolean },
): Promise<void> {
  const { globals, output } = context
  if (globals.json && !executing) return output.line(JSON.stringify(ready))
  for (const line of readyBlock({ ready: { ...ready, ...keptSecrets(context, options) }, ...rest })) output.note(line)
}

async function detach(context: Context, { command, options, child }: Omit<Run, 'launch'> & { command: Command }) {
  if (child.length > 0) {
    throw new UsageError('An emulator with a command ends with it.', 'Leave out --detach, or the command')
  }
  const { startDetached } = await import('./emulate_detached.ts')
  const { token, controlToken, clientSecret, oauthClient } = await withSecrets(context, options)
  await warnIfExposed(context, options)
  const started = await startDetached(context, {
    command,
    secretOptions: { token, controlToken, clientSecret, oauthClient },
    secretFlags: [...secretFlags, '--oauth-client'],
  })
  if (typeof started === 'number') context.exitWith(started)
  else await show(context, started, { options })
}

/** Until the signal. What is loaded late is loaded once nobody waits for the emulator to start. */
async function idle(signal: AbortSignal): Promise<void> {
  const { prepareToSend } = await import('../../emulator/webhooks/transport.ts')
  const timer = setTimeout(prepareToSend, quiet)
  if (!signal.aborted) await once(signal, 'abort')
  clearTimeout(timer)
}

async function start(context: Context, { options, child, launch }: Run) {
  const { startEmulator, EmulatorRefusal, SeedRefusal } = await import('../../emulator/index.ts')
  const { token, controlToken, clientSecret, ...given } = launch
    ? { ...options, ...launch.options }
    : await withSecrets(context, options)
  const {
    host,
    data,
    seed,
    seedFile,
    clock,
    rngSeed,
    settle,
    rateLimit,
    tokenTtl,
    fxSpread,
    fxProvider,
    locale,
    oauthClient: oauthClients,
  } = given
  const secrets = { token, controlToken, clientSecret }
  const rest = {
    host,
    data,
    seed,
    seedFile,
    clock,
    rngSeed,
    settle,
    rateLimit,
    tokenTtl,
    fxSpread,
    fxProvider,
    locale,
    oauthClients,
  }
  const world = withoutAbsent<EmulatorOptions>({ ...secrets, ...rest })
  await warnIfExposed(context, options)
  const bounded = launch?.bounded ?? ((write) => write)
  const onRequest = requestLog(context.trace && bounded(context.trace), [
    ...Object.values(secrets),
    ...(oauthClients ?? []).map(({ secret }) => secret),
  ])
  const report = bounded((line) => void context.io.stderr.write(`${line}\n`))
  const onFault = (error: unknown) => report(`emulator fault: ${printable(String(error))}`)
  try {
    return await startOnPort(portsToTry(options.port, child.length > 0), (candidate) =>
      startEmulator({ ...world, port: candidate, onFault, ...onRequest }),
    )
  } catch (error) {
    if (error instanceof SeedRefusal) {
      throw Object.assign(new UsageError(error.summary, error.hint), { errors: error.errors })
    }
    if (error instanceof EmulatorRefusal) throw new UsageError(error.message, error.hint)
    throw error
  }
}

async function warnIfExposed(context: Context, { host, ...flags }: Options): Promise<void> {
  if (host === undefined) return
  const { isOnLoopback } = await import('../../emulator/secret_strength.ts')
  const exposed = isOnLoopback(host) ? null : exposedSecrets(context, flags)
  if (exposed !== null) context.output.note(exposed)
}

/** Omits undefined options, which the emulator would refuse. */
const withoutAbsent = <Options>(options: { readonly [Name in keyof Options]: Options[Name] | undefined }): Options =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options

function writeTo(file: string, ready: Ready): () => void {
  try {
    return writeReady(file, ready)
  } catch (error) {
    throw new UsageError(
      `The ready file could not be written: ${reasonOf(error)}`,
      'Give a file in a folder that exists.',
    )
  }
}

/** A failure only disables `--emulator`, so it is a note. */
function makeKnown(context: Context, ready: Parameters<typeof announce>[1]): () => void {
  try {
    return announce(context.stateDir, ready)
  } catch (error) {
    context.output.note(`--emulator will not find this emulator, use --base-url: ${reasonOf(error)}`)
    return () => {}
  }
}

/** The option `onRequest` that writes a line for each request, without secrets; none without `write`. */
function requestLog(
  write: ((line: string) => void) | undefined,
  secrets: readonly (string | undefined)[],
): Pick<EmulatorOptions, 'onRequest'> {
  if (!write) return {}
  const known = secrets.filter((secret) => secret !== undefined)
  return { onRequest: (request) => write(lineOf(request, known)) }
}

function lineOf({ method, path, endpoint, status, durationMs }: AnsweredRequest, secrets: readonly string[]): string {
  const words = [clockTime(new Date().toISOString()), method, redactText(path, secrets), status, `${durationMs} ms`]
  return [...words, ...(endpoint ? [endpoint] : [])].join('  ')
}
