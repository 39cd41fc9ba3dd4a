import { once } from 'node:events'
import { pid } from 'node:process'
import type { Command } from 'commander'
import type { AnsweredRequest, Emulator, EmulatorOptions } from '../../emulator/index.ts'
import type { CommandModule, Context } from '../cli/command.ts'
import { details, examples, rarely } from '../cli/examples.ts'
import { redactText } from '../client/redaction.ts'
import { announce, type Ready, runningEmulators, writeReady } from '../config/running_emulators.ts'
import { reasonOf, UsageError } from '../errors/cli_error.ts'
import { toRun } from '../errors/next_step.ts'
import { printable } from '../run/sanitise.ts'
import { clockTime } from '../run/time.ts'
import { version } from '../version.ts'
import { checkChaosFlags, type Ended, tellChaos, tryingSeeds } from './emulate_chaos.ts'
import { refuseEmpty, runChild } from './emulate_child.ts'
import { type Launched, launched } from './emulate_launched.ts'
import { addOptions, emulatorOptions, type Options } from './emulate_options.ts'
import { portsToTry, startOnPort } from './emulate_port.ts'
import { readyBlock, type Shown } from './emulate_ready.ts'
import { addReportOptions, giveReport } from './emulate_report.ts'
import { exposedSecrets, keptSecrets, type Secrets, secretFlags, withSecrets } from './emulate_secrets.ts'

/** Options that hold secrets, which a detached emulator gets otherwise than as arguments. */
type SecretOptions = Secrets & Pick<Options, 'oauthClient'>

const allSecretFlags = [...secretFlags, '--oauth-client']

/** Milliseconds after the start at which what is loaded late is loaded. */
const lateLoad = 1000

/** Options of few runs. */
const rare = [
  ...[
    '--rng-seed',
    '--token-ttl',
    '--key-ttl',
    '--lenient-iban',
    '--fx-spread',
    '--fx-provider',
    '--maintenance',
    '--plain-deliveries',
    '--sign-deliveries',
    '--locale',
    '--public-url',
    '--token-file',
  ],
  ...['--control-token', '--control-token-file', '--client-secret-file', '--oauth-client', '--ready-file'],
  '--report-fail-on',
]

const childEnvironment = `
A command that runs in it has PAYCTL_BASE_URL, PAYCTL_TOKEN, PAYCTL_CONTROL_URL,
PAYCTL_USER_ID, PAYCTL_ACCOUNT_CRC, PAYCTL_ACCOUNT_USD and so on in its
environment. PAYCTL_READY is what --json prints.`

export const emulate: CommandModule = (command, context) => {
  command
    .description(
      'Run the whole service on this machine: accounts, payments and lookups over made-up money. ' +
        'With a command, run that against it and stop when it ends.',
    )
    .usage('[options] [-- command...]')
    .argument('[command...]', 'run this, and end with its exit code')
    .passThroughOptions()
  addOptions(command)
  addReportOptions(command)
  rarely(command, rare)
  details(command, childEnvironment)
  command.action(async (child: readonly string[], options: Options) => {
    refuseEmpty(child, command)
    checkChaosFlags(options, child)
    const launch = launched<SecretOptions>(context)
    if (options.detach && !launch) return detach(context, { command, options, child })
    const one: Run = { command, options, child, launch }
    const ended = await (options.chaosSeeds === undefined
      ? run(context, one)
      : tryingSeeds(options, (chaos) => run(context, { ...one, options: { ...options, chaos } }), context))
    tellChaos(ended, { command, options }, context)
    if (child.length > 0 || ended.code !== 0) context.exitWith(ended.code)
  })
  examples(
    command,
    [
      'payctl emulate',
      'payctl emulate --data world.db --settle instant',
      'payctl emulate -- npm test',
      'payctl emulate --chaos 1 --chaos-seeds 100 -- npm test',
      'payctl emulate --detach              # payctl emulator stop ends it',
      'payctl --emulator accounts list      # in another terminal',
    ],
    4,
  )
}

interface Run {
  readonly command: Command
  readonly options: Options
  readonly child: readonly string[]
  readonly launch: Launched<SecretOptions> | undefined
}

async function run(context: Context, one: Run): Promise<Ended> {
  const { signal, globals, io } = context
  const { options, child, launch } = one
  const executing = child.length > 0
  if (options.name !== undefined) await requireNewName(options.name, context)
  const emulator = await start(context, one)
  const cleanUps: (() => void)[] = []
  try {
    const ready = readyOf(emulator, options.name)
    const { baseUrl, authUrl, controlUrl, identitySecret } = emulator
    const local = { base_url: baseUrl, auth_url: authUrl, control_url: controlUrl }
    cleanUps.push(makeKnown(context, { ...ready, ...local, identity_secret: identitySecret }))
    if (options.readyFile !== undefined) cleanUps.push(writeReadyFile(options.readyFile, ready))
    const shown = { ready, owner: emulator.user.name, accounts: emulator.accounts() }
    if (launch) cleanUps.push(await launch.tell(shown))
    else if (!executing || globals.verbose) await show(context, shown, { options, executing })
    const { controlToken } = emulator
    const { fxProvider } = options
    if (!executing && !signal.aborted) await idle(signal)
    const { code, ran } = executing
      ? await runChild(child, { ready, controlToken, fxProvider, signal, io })
      : { code: 0, ran: true }
    if (!ran) return { code, chaos: null }
    const asked = giveReport(emulator.report, options, context)
    const { chaos: seed } = options
    return { code: code || asked, chaos: seed === undefined ? null : { seed, report: emulator.report() } }
  } finally {
    for (const cleanUp of cleanUps) cleanUp()
    await emulator.close()
  }
}

const readyOf = (emulator: Emulator, name: string | undefined): Ready => ({
  event: 'ready',
  base_url: emulator.publicUrl,
  auth_url: emulator.publicUrl,
  token: emulator.token,
  client_id: emulator.clientId,
  client_secret: emulator.clientSecret,
  control_url: emulator.publicUrl,
  local_url: emulator.baseUrl,
  host: emulator.host,
  pid,
  version,
  ...(name !== undefined && { name }),
  world: emulator.worldId,
  user_id: emulator.user.id,
  accounts: emulator.accounts().map(({ id, iban, currency }) => ({ id, iban, currency })),
})

/** Throws UsageError if another emulator that runs has this name. */
async function requireNewName(name: string, { stateDir, signal }: Context): Promise<void> {
  const same = runningEmulators(stateDir).filter((one) => one.name === name)
  if (same.length === 0) return
  const { provenEmulators } = await import('../config/proven_emulators.ts')
  const [there] = (await provenEmulators(same, { signal, timeout: 5000 })).proven
  if (!there) return
  throw new UsageError(
    `An emulator called ${name} is running, at ${there.base_url}.`,
    toRun(['emulator', 'stop', name], 'Take another name. Or'),
  )
}

async function show(
  context: Context,
  { ready, ...rest }: Shown,
  { options, executing = false }: { options: Options; executing?: boolean },
): Promise<void> {
  const { globals, output } = context
  if (globals.json && !executing) return output.line(JSON.stringify(ready))
  for (const line of readyBlock({ ready: { ...ready, ...keptSecrets(context, options) }, ...rest })) output.note(line)
  if (options.chaos === undefined) return
  output.note(
    `  Chaos ${options.chaos}, ${options.chaosProfile ?? 'mild'}: answers get lost, webhooks come twice, and more.`,
  )
}

async function detach(context: Context, { command, options, child }: Omit<Run, 'launch'>) {
  if (child.length > 0) {
    throw new UsageError('An emulator with a command ends with it.', 'Leave out --detach, or the command')
  }
  const { startDetached } = await import('./emulate_detached.ts')
  const { token, controlToken, clientSecret, oauthClient } = await withSecrets(context, options)
  await warnIfExposed(context, options)
  const started = await startDetached(context, {
    command,
    secretOptions: { token, controlToken, clientSecret, oauthClient },
    secretFlags: allSecretFlags,
  })
  if (typeof started === 'number') context.exitWith(started)
  else await show(context, started, { options })
}

/** Until the signal. What is loaded late is loaded once nobody waits for the emulator to start. */
async function idle(signal: AbortSignal): Promise<void> {
  const { prepareToSend } = await import('../../emulator/webhooks/transport.ts')
  const timer = setTimeout(prepareToSend, lateLoad)
  if (!signal.aborted) await once(signal, 'abort')
  clearTimeout(timer)
}

async function start(context: Context, { options, child, launch }: Run) {
  const { startEmulator } = await import('../../emulator/index.ts')
  const { token, controlToken, clientSecret, ...given } = launch
    ? { ...options, ...launch.options }
    : await withSecrets(context, options)
  const secrets = { token, controlToken, clientSecret }
  await warnIfExposed(context, options)
  const bounded = launch?.bounded ?? ((write) => write)
  const onRequest = requestLog(context.trace && bounded(context.trace), [
    ...Object.values(secrets),
    ...(given.oauthClient ?? []).map(({ secret }) => secret),
  ])
  const report = bounded((line) => void context.io.stderr.write(`${line}\n`))
  const onFault = (error: unknown) => report(`emulator fault: ${printable(String(error))}`)
  try {
    return await startOnPort(portsToTry(given.port, child.length > 0), (port) =>
      startEmulator({ ...emulatorOptions({ ...given, ...secrets }), port, onFault, ...onRequest }),
    )
  } catch (error) {
    const { refusalAsUsageError } = await import('./emulate_refusal.ts')
    throw await refusalAsUsageError(error)
  }
}

async function warnIfExposed(context: Context, { host, publicUrl, ...flags }: Options): Promise<void> {
  if (host === undefined && publicUrl === undefined) return
  const { exposure } = await import('../../emulator/secret_strength.ts')
  const exposed = exposure({ host, publicUrl }) === null ? null : exposedSecrets(context, flags)
  if (exposed !== null) context.output.note(exposed)
}

function writeReadyFile(file: string, ready: Ready): () => void {
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
  const words = [
    clockTime(new Date().toISOString()),
    method,
    redactText(path, secrets),
    status ?? 'no answer',
    `${durationMs} ms`,
  ]
  return [...words, ...(endpoint ? [endpoint] : [])].join('  ')
}
