import { once } from 'node:events'
import { pid } from 'node:process'
import type { Emulator } from '../../../emulator/index.ts'
import { type Context, command } from '../../cli/command.ts'
import { lines } from '../../cli/prints.ts'
import { announce, type Ready, runningEmulators, writeReady } from '../../config/running_emulators.ts'
import { reasonOf, UsageError } from '../../errors/cli_error.ts'
import { toRun } from '../../errors/next_step.ts'
import { fileFault } from '../../files/file_fault.ts'
import { clearTimeout, setTimeout } from '../../real_time.ts'
import { version } from '../../version.ts'
import { checkChaosFlags, type Ended, isIgnored, noteIgnored, printChaos } from './chaos.ts'
import { launched } from './launched.ts'
import { flags, howItRuns, type Options, whoMayUseIt } from './options.ts'
import { readyBlock, type Shown } from './ready.ts'
import { isAsked } from './report_flags.ts'
import { keptSecrets, secretFlags, withSecrets } from './secrets.ts'
import { answerWith, type Handover, seedRunOf } from './seeds/part.ts'
import { type Run, type SecretOptions, start, warnIfExposed } from './start.ts'

const allSecretFlags = [...secretFlags, '--oauth-client']

/** Milliseconds after the start at which late modules are loaded. */
const lateLoad = 1000

const childEnvironment = `
A command run with the emulator has PAYCTL_BASE_URL, PAYCTL_TOKEN,
PAYCTL_CONTROL_URL, PAYCTL_USER_ID, PAYCTL_ACCOUNT_CRC, PAYCTL_ACCOUNT_USD and
so on in its environment. PAYCTL_READY has the output of --json.`

export const emulate = command({
  summary: 'Run the whole service on this machine',
  about:
    'Run the whole service on this machine: accounts, payments and lookups with no real money. ' +
    'With a command, run the command there and stop when it ends.',
  args: { '[command...]': { about: 'run this command, and end with its exit code', of: 'program', as: 'child' } },
  passesThrough: true,
  flags,
  globals: {
    '--token': { about: 'access token (default: payctl-demo-token)', heading: whoMayUseIt },
    '--json': { about: 'one JSON line on stdout when the emulator is ready', heading: howItRuns },
  },
  prints: lines(async () => (await import('../schema/machine_shapes.ts')).ready),
  examples: [
    'payctl emulate',
    'payctl emulate --data world.db --settle instant',
    'payctl emulate -- npm test',
    'payctl emulate --chaos 1 --chaos-seeds 100 -- npm test',
    'payctl emulate --detach              # payctl emulator stop ends it',
    'payctl --emulator accounts list      # in another terminal',
  ],
  fewExamples: 4,
  details: childEnvironment,
  async run({ child, ...given }, context) {
    refuseEmpty(child, context)
    const options = { ...given, chaos: given.chaos ?? (given.chaosSeeds === undefined ? undefined : 1) }
    checkChaosFlags(options, child)
    const part = seedRunOf(context)
    if (part) return answerWith(() => run(context, partOf(options, child, part)), context)
    const launch = launched<SecretOptions>(context)
    if (options.detach && !launch) return detach(context, { options, child })
    const ended = await (options.chaosSeeds === undefined
      ? run(context, { options, child, launch })
      : (await import('./seeds/seeds.ts')).runSeeds(context, { options, child }))
    await printChaos(ended, { options, child }, context)
    if (child.length > 0 || ended.code !== 0) context.exitWith(ended.code)
  },
})

/**
 * Refuses `emulate -- $COMMAND` if the variable is not set: without a command, the emulator would run until it is
 * stopped.
 */
export function refuseEmpty(child: readonly string[], { argv }: Context): void {
  // The parser removes a `--` that nothing follows.
  if (child[0] !== '' && (child.length > 0 || argv.at(-1) !== '--')) return
  throw new UsageError('The command after -- is empty.', 'Name one, or leave -- out')
}

/** The run with one of many seeds, which writes no reports: the payctl that started this process writes the reports. */
const partOf = (options: Options, child: readonly string[], { seed, profile, secrets }: Handover): Run => ({
  options: { ...options, chaos: seed, chaosProfile: profile ?? options.chaosProfile, report: undefined },
  child,
  launch: undefined,
  secrets,
})

async function run(context: Context, one: Run): Promise<Ended> {
  const { signal, globals, io, output } = context
  const { options, child, launch } = one
  const executing = child.length > 0
  if (options.name !== undefined) await requireNewName(options.name, context)
  // These modules are loaded now, because an upgrade may remove their files before they are needed.
  const [commands, reports] = await Promise.all([
    executing ? import('./child.ts') : null,
    isAsked(options) ? import('./report.ts') : null,
  ])
  const killed = options.chaosKill ? new (await import('./killed.ts')).KilledCommand(context) : undefined
  const { emulator, log } = await start(context, { ...one, killProgram: killed?.kill })
  const cleanUps: (() => void)[] = []
  try {
    const ready = readyOf(emulator, options.name)
    const { baseUrl, authUrl, controlUrl, identitySecret } = emulator
    const local = { base_url: baseUrl, auth_url: authUrl, control_url: controlUrl }
    cleanUps.push(makeKnown(context, { ...ready, ...local, identity_secret: identitySecret }))
    if (options.readyFile !== undefined) cleanUps.push(writeReadyFile(options.readyFile, ready))
    const shown = { ready, owner: emulator.user.name, accounts: emulator.accounts() }
    if (launch) cleanUps.push(await launch.tell(shown))
    else if (!log.isJson && (!executing || globals.verbose)) await show(context, shown, { options, executing })
    else if (log.isJson && globals.json && !executing) await output.line(JSON.stringify(ready))
    log.event('ready', { url: ready.base_url, version, pid })
    const { controlToken } = emulator
    if (!executing && !signal.aborted) await idle(signal, { isShared: options.worlds !== undefined })
    const { fxProvider, chaos: seed } = options
    const settings = { ready, controlToken, fxProvider, chaos: seed, signal, io }
    const { code, ran } = (await (killed?.run(child, settings) ?? commands?.runChild(child, settings))) ?? {
      code: 0,
      ran: true,
    }
    if (!ran) return { code, chaos: null, failing: [] }
    const { code: byReport, failing } = reports?.giveReport(emulator.report, options, context) ?? {
      code: 0,
      failing: [],
    }
    if (seed === undefined) return { code: code || byReport, chaos: null, failing }
    const report = emulator.report()
    if (!isIgnored(code, { options, report, signal }))
      return { code: code || byReport, chaos: { seed, report }, failing }
    noteIgnored(code, context)
    return { code: byReport, chaos: { seed, report }, failing }
  } finally {
    for (const cleanUp of cleanUps) cleanUp()
    // SIGTERM comes from a supervisor that restarts the emulator: requests in progress are answered. Ctrl-C ends the
    // emulator at once.
    if (signal.reason === 'SIGTERM' && !executing) await emulator.drain()
    await emulator.close()
    log.event('stopped', { version, pid })
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

/** Throws UsageError if another running emulator has this name. */
async function requireNewName(name: string, { stateDir, signal }: Context): Promise<void> {
  const same = runningEmulators(stateDir).filter((one) => one.name === name)
  if (same.length === 0) return
  const { provenEmulators } = await import('../../config/proven_emulators.ts')
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

async function detach(context: Context, { options, child }: Omit<Run, 'launch'>): Promise<void> {
  if (child.length > 0) {
    throw new UsageError('An emulator with a command ends with the command.', 'Leave out --detach, or the command')
  }
  const { startDetached } = await import('./detached.ts')
  const { token, controlToken, clientSecret, oauthClient } = await withSecrets(context, options)
  await warnIfExposed(context, options)
  const started = await startDetached(context, {
    secretOptions: { token, controlToken, clientSecret, oauthClient },
    secretFlags: allSecretFlags,
  })
  if (typeof started === 'number') context.exitWith(started)
  else await show(context, started, { options })
}

/** Waits for a signal. Loads late modules some time after the start, so that the start does not wait for them. */
async function idle(signal: AbortSignal, { isShared }: { readonly isShared: boolean }): Promise<void> {
  const { prepareToSend } = await import('../../../emulator/webhooks/transport.ts')
  const loadLate = () => {
    prepareToSend()
    import('../../../emulator/metrics/scrape.ts').catch(() => {}) // an upgrade has removed the files: scrapes fail
    if (isShared) import('../../../emulator/control/index.ts').then(({ prepareForSeeds }) => prepareForSeeds())
  }
  const timer = setTimeout(loadLate, lateLoad)
  if (!signal.aborted) await once(signal, 'abort')
  clearTimeout(timer)
}

function writeReadyFile(file: string, ready: Ready): () => void {
  try {
    return writeReady(file, ready)
  } catch (error) {
    throw new UsageError(
      `The ready file could not be written: ${fileFault(error)}.`,
      'Give a file in a folder that exists, or a pipe with a reader.',
    )
  }
}

/** A failure only disables `--emulator`, so the run prints a note and continues. */
function makeKnown(context: Context, ready: Parameters<typeof announce>[1]): () => void {
  try {
    return announce(context.stateDir, ready)
  } catch (error) {
    context.output.note(`Use --base-url: --emulator will not find this emulator (${reasonOf(error)})`)
    return () => {}
  }
}
