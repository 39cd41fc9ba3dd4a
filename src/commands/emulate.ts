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
import { portsToTry, startOnPort } from './emulate_port.ts'
import { readyBlock } from './emulate_ready.ts'
import { addSecretOptions, exposedSecrets, keptSecrets, type SecretFlags, withSecrets } from './emulate_secrets.ts'
import { dataFile, fraction, oauthClient, providerName, rateLimit, rngSeed, settle } from './emulate_values.ts'
import { examples } from './examples.ts'
import { ownGlobal } from './global_options.ts'

interface Options extends SecretFlags {
  readonly port?: number
  readonly host?: string
  readonly data?: string
  readonly seed?: 'demo' | 'empty'
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
}

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
    return run(context, options, child)
  })
  examples(command, [
    'payctl emulate',
    'payctl emulate --data world.db --settle instant',
    'payctl emulate -- npm test',
    'payctl --emulator accounts list      # in another terminal',
  ])
}

const addOptions = (command: Command): Command =>
  command
    .option('--port <n>', 'port, 0 for any (default: 4010 or the next free one)', integer({ min: 0, max: 65_535 }))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--data <file>', 'keep everything in this file (default: in memory)', dataFile)
    .addOption(new Option('--seed <name>', 'what a new world holds (default: demo)').choices(['demo', 'empty']))
    .option('--clock <time>', 'freeze the clock of a new world at this time', instant)
    .option('--rng-seed <n|text>', 'same ids, secrets, faults each run; on loopback only, they can be guessed', rngSeed)
    .option('--ready-file <file>', 'write what --json prints to this file')
    .option('--settle <duration>', 'how long payments take: 1s, instant, manual (default: 1s)', settle)
    .option('--rate-limit <n/min|off>', 'requests a minute (default: 6000/min)', rateLimit)
    .option('--token-ttl <seconds>', 'life of an OAuth token (default: 3600)', integer({ min: 1 }))
    .option('--oauth-client <client>', 'add an OAuth client, id:secret@redirect-uri; may be repeated', oauthClient)
    .option('--fx-spread <fraction>', 'the service’s share on each side of the rate (default: 0.004)', fraction)
    .option('--fx-provider <name>', 'the upstream rate provider in its path (default: upstream)', providerName)
    .addOption(new Option('--locale <code>', 'language of page labels (default: es)').choices(['es', 'en']))

async function run(context: Context, options: Options, child: readonly string[]): Promise<void> {
  const { signal, globals, output, io } = context
  const executing = child.length > 0
  const emulator = await start(context, options, executing)
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
    if (globals.json && !executing) await output.line(JSON.stringify(ready))
    else if (!executing || globals.verbose) {
      const shown = { ...ready, ...keptSecrets(context, options) }
      for (const line of readyBlock(shown, emulator.accounts())) output.note(line)
    }
    const { controlToken } = emulator
    const { fxProvider } = options
    if (executing) context.exitWith(await runChild(child, { ready, controlToken, fxProvider, signal, io }))
    else if (!signal.aborted) await idle(signal)
  } finally {
    for (const file of forget) file()
    await emulator.close()
  }
}

/** Until the signal. What is loaded late is loaded once nobody waits for the emulator to start. */
async function idle(signal: AbortSignal): Promise<void> {
  const { prepareToSend } = await import('../../emulator/webhooks/send.ts')
  const timer = setTimeout(prepareToSend, quiet)
  if (!signal.aborted) await once(signal, 'abort')
  clearTimeout(timer)
}

async function start(context: Context, options: Options, executing: boolean) {
  const { startEmulator, EmulatorRefusal } = await import('../../emulator/index.ts')
  const { isOnLoopback } = await import('../../emulator/secret_strength.ts')
  const { token, controlToken, clientSecret, ...given } = await withSecrets(context, options)
  const {
    host,
    data,
    seed,
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
  const exposed = host === undefined || isOnLoopback(host) ? null : exposedSecrets(context, options)
  if (exposed !== null) context.output.note(exposed)
  const onRequest = requestLog(context.trace, [
    ...Object.values(secrets),
    ...(oauthClients ?? []).map(({ secret }) => secret),
  ])
  const onFault = (error: unknown) => context.io.stderr.write(`emulator fault: ${printable(String(error))}\n`)
  try {
    return await startOnPort(portsToTry(options.port, executing), (candidate) =>
      startEmulator({ ...world, port: candidate, onFault, ...onRequest }),
    )
  } catch (error) {
    if (error instanceof EmulatorRefusal) throw new UsageError(error.message, error.hint)
    throw error
  }
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
