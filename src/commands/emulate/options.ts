import type { EmulatorOptions } from '../../../emulator/index.ts'
import { fraction, integer, keyTtl } from '../../cli/arguments.ts'
import type { CommandRecord, FlagRecord, Input } from '../../cli/command.ts'
import { chaosProfileNames, largestChaosSeed, largestMomentLimit } from '../../contract/emulator_names.ts'
import { checkNames, checks, fileInFolder, reportFile, seedsReportFile } from './report_flags.ts'
import { type SecretFlags, type Secrets, sources } from './secrets.ts'
import {
  chaosProfile,
  clockStart,
  emulatorName,
  headerName,
  oauthClient,
  providerName,
  railMaintenance,
  rateLimit,
  settle,
} from './values.ts'

type Flags = Readonly<Record<string, FlagRecord>>

type Under<F extends Flags> = { readonly [Spec in keyof F]: F[Spec] & { readonly heading: string } }

const under = <const F extends Flags>(heading: string, flags: F): Under<F> =>
  Object.fromEntries(Object.entries(flags).map(([spec, flag]) => [spec, { ...flag, heading }])) as Under<F>

export const whoMayUseIt = 'Access'
export const howItRuns = 'Run'

export const flags = {
  ...under('Content', {
    '--data <file>': { about: 'keep everything in this file (default: in memory)', of: 'file' },
    '--worlds <folder>': {
      about: 'keep worlds and snapshots as files in this folder',
      of: 'file',
      conflicts: 'data',
    },
    '--seed <name>': { about: 'content of a new world (default: demo)', choices: ['demo', 'empty'] },
    '--seed-file <file>': { about: 'content of a new world: a YAML or JSON file', of: 'file' },
    '--clock <time>': { about: 'clock of new worlds: frozen at a time, or running', parse: clockStart },
    '--rng-seed <n|text>': {
      about: 'the same ids, secrets and faults in each run\nonly on loopback, because the secrets can be guessed',
      rare: true,
    },
    '--moments <MiB>': {
      about: 'save moments of each world, from which to fork it\n64 is enough for thousands of moments (default: none)',
      parse: integer({ min: 1, max: largestMomentLimit }),
      rare: true,
    },
    '--shard <name>': { about: 'prefix of the names of worlds: s2 for s2.shop-7', rare: true },
    '--open-worlds <n>': {
      about: 'maximum number of world files open at a time (default: 1000)',
      parse: integer({ min: 2, max: 1_000_000 }),
      rare: true,
    },
    '--max-worlds <n>': {
      about: 'maximum number of worlds besides the default one (default: no limit)',
      parse: integer({ min: 1, max: 1_000_000_000 }),
      rare: true,
    },
  }),
  ...under('Answers', {
    '--settle <duration>': {
      about: 'duration of payments: 1s, 3s..15s, manual\nby rail: pin=5s,sinpe_movil=instant\ndefault: 1s',
      parse: settle,
    },
    '--lenient-iban': { about: 'accept wrong check digits in IBANs of payees and senders', rare: true },
    '--strict': { about: 'exit 6 if a request has broken the contract', rare: true },
    '--rate-limit <n/min|off>': { about: 'requests a minute (default: 6000/min)', parse: rateLimit, rare: true },
    '--token-ttl <seconds>': {
      about: 'life of an OAuth token (default: 3600)',
      parse: integer({ min: 0 }),
      rare: true,
    },
    '--key-ttl <duration>': {
      about: 'life of an idempotency key: 24h (default: for ever)',
      parse: keyTtl,
      rare: true,
    },
    '--fx-spread <fraction>': {
      about: 'the service’s margin on each side of the exchange rate (default: 0.004)',
      parse: fraction,
      rare: true,
    },
    '--fx-provider <name>': {
      about: 'name of the upstream rate provider in URL paths (default: upstream)',
      parse: providerName,
      rare: true,
    },
    '--maintenance <rail=window>': {
      about: 'when a rail is offline: pin=02:00-04:00; repeatable',
      parse: railMaintenance,
      rare: true,
    },
    '--plain-deliveries': { about: 'send webhooks without the emulator’s own headers', rare: true },
    '--sign-deliveries <header>': {
      about: 'sign webhooks, with the signature in this header',
      parse: headerName,
      rare: true,
    },
    '--locale <code>': {
      about: 'language of the labels in paged lists (default: es)',
      choices: ['es', 'en'],
      rare: true,
    },
  }),
  ...under('Random faults', {
    '--chaos <seed>': {
      about: 'lose answers, deliver webhooks twice, and more',
      parse: integer({ min: 0, max: largestChaosSeed }),
    },
    '--chaos-profile <profile>': {
      about: 'faults: mild (default), hostile, or a YAML file',
      of: 'chaos profile',
      parse: chaosProfile,
    },
    '--chaos-verdict <by>': {
      about:
        'basis of the exit code of a run with a command\nreport (default): how the command handled the faults\ncommand (default with --chaos-kill): also its exit code',
      choices: ['report', 'command'],
      rare: true,
    },
    '--chaos-kill': {
      about:
        'kill the command at random requests, at most three times\nrun it again each time, the last time until it ends',
      rare: true,
    },
    '--chaos-seeds <n>': {
      about: 'run the command with n seeds, until a seed fails',
      parse: integer({ min: 1, max: 1_000_000 }),
    },
    '--chaos-jobs <n>': {
      about: 'seeds that run at the same time (default: one per processor)',
      parse: integer({ min: 1, max: 1000 }),
      rare: true,
    },
    '--chaos-all': { about: 'run all seeds, even if a seed fails', rare: true },
    '--chaos-reduce <runs>': {
      about: 'maximum runs to find the fewest faults that cause a failure\ndefault: 100; 0: no search',
      parse: integer({ min: 0, max: 100_000 }),
      rare: true,
    },
    '--chaos-faults <file>': {
      about: 'write the fewest faults to this file, as a chaos profile\ndefault: a file in the state folder of payctl',
      of: 'file',
      parse: fileInFolder,
      rare: true,
    },
    '--chaos-report <file>': {
      about:
        'write the results of all seeds to a .md or .xml (JUnit) file\nwith the history of each order that was paid twice; repeatable',
      of: 'file',
      parse: seedsReportFile,
      rare: true,
    },
  }),
  ...under('Addresses', {
    '--port <n>': {
      about: 'port; 0: any free port (default: 4010 or the next)\nwith a command, any free port by default',
      parse: integer({ min: 0 }),
    },
    '--host <address>': { about: 'address to listen on (default: 127.0.0.1)' },
    '--public-url <url>': { about: 'address at which clients reach the emulator, for links', rare: true },
  }),
  ...under(whoMayUseIt, {
    '--token-file <file>': {
      about: `file with the access token (instead of ${sources.token.variable})`,
      of: 'file',
      rare: true,
    },
    '--control-token <token>': { about: 'token that the control endpoints require', rare: true },
    '--control-token-file <file>': {
      about: `file with the control token (instead of ${sources.controlToken.variable})`,
      of: 'file',
      rare: true,
    },
    '--teams <file>': {
      about: 'share the emulator among the teams in this YAML file\npayctl emulator team key adds keys to the file',
      of: 'file',
      rare: true,
    },
    '--audit-log <file>': { about: 'append each control call to this file, as JSON', of: 'file', rare: true },
    '--client-secret-file <file>': {
      about: `file with the OAuth client’s secret (instead of ${sources.clientSecret.variable})`,
      of: 'file',
      rare: true,
    },
    '--oauth-client <client>': {
      about: 'add an OAuth client, id:secret@redirect-uri; repeatable',
      parse: oauthClient,
      rare: true,
    },
  }),
  ...under(howItRuns, {
    '--detach': { about: 'return when the emulator is ready\nit runs until payctl emulator stop' },
    '--name <name>': { about: 'name for payctl --emulator=<name>, if several run', parse: emulatorName, rare: true },
    '--ready-file <file>': { about: 'write the output of --json to this file', of: 'file', rare: true },
    '--log <format>': {
      about: 'write a JSON line for each request to stderr\nalso one for each world that opens or closes',
      choices: ['json'],
      rare: true,
    },
    '--on-exit <what>': { about: 'print a report of the emulator’s use on stderr', choices: ['report'], rare: true },
    '--report <file>': {
      about: 'file for the report: .json, .md or .xml (JUnit)\nrepeatable',
      of: 'file',
      parse: reportFile,
    },
    '--report-fail-on <checks>': {
      about: `exit 6 if one of these checks has findings\n${checks.join(', ')}`,
      parse: checkNames,
      rare: true,
    },
  }),
} as const satisfies CommandRecord['flags']

/** The flags of `payctl emulate`; an absent flag is undefined. */
export type Options = Input<Record<never, never>, typeof flags>

/** Flags that the library accepts as options of the same names. */
const libraryNames = [
  ...([
    'data',
    'worlds',
    'shard',
    'openWorlds',
    'seed',
    'seedFile',
    'clock',
    'rngSeed',
    'host',
    'publicUrl',
    'settle',
    'rateLimit',
  ] as const),
  ...(['tokenTtl', 'keyTtl', 'fxSpread', 'fxProvider', 'plainDeliveries', 'signDeliveries', 'locale'] as const),
  ...(['teams', 'auditLog', 'maxWorlds'] as const),
  ...(['lenientIban', 'strict', 'maintenance', 'moments', 'token', 'controlToken', 'clientSecret'] as const),
] satisfies readonly (keyof EmulatorOptions)[]

/**
 * Converts the flags to options of the library. Leaves out missing flags, because the emulator refuses undefined
 * options.
 */
export function emulatorOptions(given: Omit<Options, keyof SecretFlags> & Secrets): EmulatorOptions {
  const named = Object.fromEntries(libraryNames.map((name) => [name, given[name]]))
  const all = { ...named, oauthClients: given.oauthClient, chaos: chaosOption(given) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/**
 * The library's option `chaos`. A value of `--chaos-profile` that is not the name of a built-in profile names a file.
 */
export function chaosOption({
  chaos: seed,
  chaosProfile: given,
}: Pick<Options, 'chaos' | 'chaosProfile'>): EmulatorOptions['chaos'] {
  if (seed === undefined) return undefined
  const profile = chaosProfileNames.find((name) => name === given)
  if (profile !== undefined || given === undefined) return { seed, ...(profile && { profile }) }
  return { seed, profileFile: given }
}
