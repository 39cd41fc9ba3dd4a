import { type Command, Option } from 'commander'
import type { EmulatorOptions } from '../../emulator/index.ts'
import { integer, keyTtl } from '../cli/arguments.ts'
import { ownGlobal } from '../cli/global_options.ts'
import { addChaosOptions, type ChaosFlags, chaosOption } from './emulate_chaos.ts'
import type { ReportFlags } from './emulate_report.ts'
import { addSecretOptions, type SecretFlags, type Secrets } from './emulate_secrets.ts'
import {
  clockStart,
  dataFile,
  emulatorName,
  headerName,
  type MaintenanceByRail,
  oauthClient,
  providerName,
  publicUrl,
  railMaintenance,
  rateLimit,
  rngSeed,
  settle,
  spread,
  worldFolder,
} from './emulate_values.ts'

/** The flags of `payctl emulate`. */
export interface Options extends SecretFlags, ReportFlags, ChaosFlags {
  readonly data?: string
  readonly worlds?: string
  readonly seed?: 'demo' | 'empty'
  readonly seedFile?: string
  readonly clock?: string
  readonly rngSeed?: string
  readonly settle?: EmulatorOptions['settle']
  readonly rateLimit?: number | 'off'
  readonly tokenTtl?: number
  readonly keyTtl?: number
  readonly fxSpread?: number
  readonly fxProvider?: string
  readonly lenientIban?: true
  readonly maintenance?: MaintenanceByRail
  readonly plainDeliveries?: true
  readonly signDeliveries?: string
  readonly locale?: 'es' | 'en'
  readonly port?: number
  readonly host?: string
  readonly publicUrl?: string
  readonly oauthClient?: EmulatorOptions['oauthClients']
  readonly readyFile?: string
  readonly name?: string
  readonly detach?: true
}

export function addOptions(command: Command): void {
  command
    .optionsGroup('What it holds:')
    .option('--data <file>', 'keep everything in this file (default: in memory)', dataFile)
    .addOption(
      new Option('--worlds <folder>', 'keep each world in a file there, and snapshots')
        .argParser(worldFolder)
        .conflicts('data'),
    )
    .addOption(new Option('--seed <name>', 'what a new world holds (default: demo)').choices(['demo', 'empty']))
    .option('--seed-file <file>', 'or what this YAML or JSON file says')
    .option('--clock <time>', 'clock of new worlds: frozen at a time, or running', clockStart)
    .option('--rng-seed <n|text>', 'same ids, secrets, faults each run\non loopback only, they can be guessed', rngSeed)
    .optionsGroup('How it answers:')
    .option(
      '--settle <duration>',
      'how long payments take: 1s, 3s..15s, manual\nby rail: pin=5s,sinpe_movil=instant\ndefault: 1s',
      settle,
    )
    .option('--lenient-iban', 'payees and senders may have IBANs with wrong check digits')
    .option('--rate-limit <n/min|off>', 'requests a minute (default: 6000/min)', rateLimit)
    .option('--token-ttl <seconds>', 'life of an OAuth token (default: 3600)', integer({ min: 1 }))
    .option('--key-ttl <duration>', 'life of an idempotency key: 24h (default: for ever)', keyTtl)
    .option('--fx-spread <fraction>', 'the service’s share on each side of the rate (default: 0.004)', spread)
    .option('--fx-provider <name>', 'the upstream rate provider in its path (default: upstream)', providerName)
    .option('--maintenance <rail=window>', 'offline by timetable: pin=02:00-04:00; repeatable', railMaintenance)
    .option('--plain-deliveries', 'webhooks without the emulator’s own headers')
    .option('--sign-deliveries <header>', 'webhooks with their signature in this header', headerName)
    .addOption(new Option('--locale <code>', 'language of page labels (default: es)').choices(['es', 'en']))
  addChaosOptions(command)
    .optionsGroup('Where it listens:')
    .option('--port <n>', '0 for any (default: 4010, or the next that is free)', integer({ min: 0, max: 65_535 }))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--public-url <url>', 'where clients reach it, as links should say', publicUrl)
    .optionsGroup(secrets)
  ownGlobal(command, '--token', { description: 'access token (default: payctl-demo-token)', group: secrets })
  addSecretOptions(command)
    .option('--oauth-client <client>', 'add an OAuth client, id:secret@redirect-uri; repeatable', oauthClient)
    .optionsGroup(running)
    .option('--detach', 'return when it is ready\nit runs on until payctl emulator stop')
    .option('--name <name>', 'for payctl --emulator=<name>, where several run', emulatorName)
    .option('--ready-file <file>', 'write what --json prints to this file')
  ownGlobal(command, '--json', { description: 'one JSON line on stdout when it is ready', group: running })
}

const secrets = 'Who may use it:'
const running = 'How it runs:'

/** Flags that the library takes as options of the same names. */
const libraryNames = [
  ...(['data', 'worlds', 'seed', 'seedFile', 'clock', 'rngSeed', 'host', 'publicUrl', 'settle', 'rateLimit'] as const),
  ...(['tokenTtl', 'keyTtl', 'fxSpread', 'fxProvider', 'plainDeliveries', 'signDeliveries', 'locale'] as const),
  ...(['lenientIban', 'maintenance', 'token', 'controlToken', 'clientSecret'] as const),
] satisfies readonly (keyof EmulatorOptions)[]

/** Options of the library, from flags. Leaves out what is not given: the emulator refuses undefined options. */
export function emulatorOptions(flags: Loose<Options & Secrets>): EmulatorOptions {
  const named = Object.fromEntries(libraryNames.map((name) => [name, flags[name]]))
  const all = { ...named, oauthClients: flags.oauthClient, ...chaosOption(flags as ChaosFlags) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined }
